"""Print the requirements of the extra `dev`, one a line, without the package itself."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
for requirement in project["optional-dependencies"]["dev"]:
    if not requirement.startswith("certus"):
        print(requirement)
