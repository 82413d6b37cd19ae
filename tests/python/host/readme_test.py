"""The first example of the package's page runs as it stands, with what its pip line installs."""

import ast
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[3] / "runtime" / "adapters" / "python"


def first_lines():
    """The pip line, and the program after it."""
    text = (FOLDER / "README.md").read_text()
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, flags=re.M)
    pip = next(block for block in blocks if "pip install" in block)
    program = next(block for block in blocks if "import" in block)
    return pip.split("#")[0].split(), re.sub("^    ", "", "\n".join(
        line for line in program.split("\n") if "pip install" not in line), flags=re.M)


def test_the_pip_line_installs_what_the_program_imports():
    pip, program = first_lines()
    project = (FOLDER / "pyproject.toml").read_text()
    needed = re.findall(r'"([\w-]+)', re.search(r"^dependencies = \[(.*)\]", project, flags=re.M).group(1))
    imported = {name.name.split(".")[0] for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Import)
                for name in node.names}
    assert "specmv" in imported and imported <= {"specmv", *needed, *pip[2:]}


def test_the_program_runs(tmp_path, own_environment):
    program = first_lines()[1] + "\nassert np.allclose(y, 3 * (A @ x))\n"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=own_environment, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "plain CSR" in done.stdout and (tmp_path / "A.html").exists()
