"""Words that give a domain away, by topic: the table behind `topic.topic_of_words`.

The words of a topic's root name the domain outright; those of a branch only say which branch of it.
"""

DOMAINS = {
    "python": "python python3 cpython pypi pip pyproject venv virtualenv pythonic pep8",
    "python/libs": "requests httpx aiohttp flask django fastapi pydantic numpy pandas scipy matplotlib sqlalchemy "
    "celery asyncio itertools functools pathlib argparse typer click beautifulsoup scrapy jinja2 boto3 urllib3",
    "python/testing": "pytest unittest hypothesis conftest tox monkeypatch doctest nox",
    "python/patterns": "decorator decorators dataclass dataclasses comprehension comprehensions contextmanager "
    "metaclass descriptor descriptors generator generators gil duck-typing singleton",
    "python/tooling": "ruff mypy black isort flake8 pylint poetry uv hatch setuptools pipx conda",
    "javascript": "javascript js node nodejs node.js npm ecmascript yarn pnpm",
    "javascript/libs": "react vue angular svelte express next.js webpack vite jquery redux lodash axios",
    "javascript/testing": "jest mocha vitest cypress playwright",
    "javascript/patterns": "closure closures promise promises callback hoisting prototype await",
    "typescript": "typescript tsc tsconfig tsx ts",
    "rust": "rust cargo rustc clippy rustup crates.io rustfmt",
    "rust/libs": "tokio serde axum clap rayon anyhow thiserror reqwest actix",
    "rust/patterns": "borrow borrowing ownership lifetime lifetimes trait traits unwrap mutex arc",
    "go": "golang goroutine goroutines gofmt go.mod gopls",
    "go/patterns": "channel channels context defer interface",
    "java": "java jvm jdk javac maven gradle kotlin",
    "java/libs": "spring hibernate junit mockito lombok jackson springboot",
    "c": "gcc malloc valgrind glibc libc pthread",
    "cpp": "c++ cpp stl constexpr raii g++ cmake",
    "csharp": "c# csharp dotnet .net nuget linq",
    "ruby": "ruby rails gem rspec bundler",
    "php": "php laravel composer symfony",
    "haskell": "haskell ghc cabal monad monads",
    "lean": "lean lean4 mathlib lakefile",
    "lua": "lua luajit luarocks metatable",
    "neovim": "neovim nvim vim vimscript treesitter lazy.nvim init.lua",
    "neovim/lsp": "lsp lspconfig diagnostics mason",
    "emacs": "emacs elisp org-mode magit",
    "shell": "bash zsh shell shellcheck fish",
    "shell/tools": "awk sed grep xargs jq curl ripgrep rsync tmux",
    "git": "git gitignore rebase cherry-pick worktree gitlab",
    "git/github": "github gh pull-request",
    "docker": "docker dockerfile docker-compose podman containerd",
    "docker/images": "image images layer layers multi-stage alpine registry",
    "kubernetes": "kubernetes kubectl k8s helm kubelet",
    "kubernetes/workloads": "pod pods deployment ingress statefulset namespace",
    "linux": "linux systemd systemctl ubuntu debian fedora nixos journalctl",
    "linux/network": "iptables nftables dns dhcp wireguard ssh",
    "database": "sql database databases dbms orm",
    "database/postgres": "postgres postgresql psql pgvector vacuum",
    "database/sqlite": "sqlite sqlite3 fts5 wal",
    "database/mysql": "mysql mariadb innodb",
    "database/redis": "redis valkey memcached",
    "database/mongodb": "mongodb mongo",
    "database/design": "schema index indexes transaction transactions migration migrations",
    "web": "http https rest graphql websocket browser",
    "web/api": "api apis endpoint endpoints openapi webhook rate-limit",
    "web/css": "css flexbox tailwind sass stylesheet",
    "web/html": "html dom htmx accessibility aria",
    "security": "security encryption vulnerability cve xss csrf",
    "security/auth": "oauth oauth2 jwt authentication authorization sso saml password passwords",
    "security/tls": "tls ssl certificate certificates openssl",
    "cloud": "cloud serverless terraform cloudformation pulumi",
    "cloud/aws": "aws s3 ec2 iam dynamodb cloudfront",
    "cloud/azure": "azure",
    "cloud/gcp": "gcp bigquery gcloud",
    "ci": "ci ci/cd github-actions jenkins gitlab-ci",
    "machine-learning": "pytorch tensorflow scikit-learn sklearn neural machine-learning",
    "machine-learning/llm": "llm llms transformer transformers embedding embeddings fine-tuning tokenizer",
    "agents": "agentic mcp subagent subagents claude.md agents.md",
    "agents/prompts": "prompt prompts prompting",
    "markdown": "markdown frontmatter commonmark pandoc",
    "latex": "latex bibtex pdflatex tikz lualatex",
    "nix": "nix nixpkgs flake.nix home-manager",
    "logic": "theorem lemma axiom axioms modal semantics",
}
"""Every topic with its words; a branch stands right behind its root."""

EVERYDAY = frozenset(
    {"browser", "cloud", "fish", "gem", "java", "node", "pip", "rails", "rest", "ruby", "rust", "security", "shell"}
)
"""Names of domains that are common words too: written small and alone (`a web node`) they name none."""

LANGUAGE_TOPICS = {"bash": "shell", "tsx": "typescript", "vim": "neovim", "sql": "database", "dockerfile": "docker"}
"""Where a language of source code is no root of the table under its own name."""
