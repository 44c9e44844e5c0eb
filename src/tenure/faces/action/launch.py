"""Started as `python -I launch.py`, out of the Action's own checkout.

Isolated: neither the current folder, which is the change under review, nor a PYTHON* variable adds to what is imported.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from tenure.faces.action.run import main

    sys.exit(main(sys.argv[1:]))
