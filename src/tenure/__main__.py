"""`python -m tenure`."""

from tenure.faces.cli.main import entry

if __name__ == "__main__":
    entry()
