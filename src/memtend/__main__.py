"""`python -m memtend`."""

import sys

from memtend.cli import main

sys.exit(main())
