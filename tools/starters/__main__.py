"""Make the lists of packages from which `winnow-ci index starter` makes manifests.

    python tools/starters              # some 60 MB by apt-get, into a folder that is deleted
    python tools/starters FOLDER       # into FOLDER, and from there the next time

Which packages of an ecosystem are used most is counted in Debian, whose packages say what they need: for each package
of an ecosystem, the number of source packages of Debian other than its own of which a binary package depends on it
(`Depends` and `Pre-Depends`, each alternative, virtual packages resolved). What a package of Debian has of an ecosystem
stands in the paths of its files, such as `usr/share/nodejs/@babel/core/package.json`; if it has several, the one counts
that it is called after. The user's own apt-get fetches `Packages` and `Contents` of the releases that it is set up
with. No registry is asked.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LISTS = Path(__file__).resolve().parents[2] / "src" / "winnow_ci" / "config" / "starters"
MOST = 100
SETTINGS = """\
Dir::State::Lists "{0}/lists";
Dir::Cache "{0}/cache";
Acquire::Languages "none";
Acquire::IndexTargets::deb::Contents-deb {{
  MetaKey "$(COMPONENT)/Contents-$(ARCHITECTURE)";
  ShortDescription "Contents-$(ARCHITECTURE)";
  Description "$(RELEASE)/$(COMPONENT) $(ARCHITECTURE) Contents (deb)";
  KeepCompressed "true";
}};
"""


class Ecosystem(NamedTuple):
    """Where packages of Debian have those of an ecosystem.

    Attributes:
        path: of a file that tells the name (groups `name`, or `group` and `name`).
        package: what packages of Debian are called that have them; the group is what they are called after.
    """

    path: re.Pattern[str]
    package: re.Pattern[str]


_NAME = r"(?P<name>[^/\s]+)"
ECOSYSTEMS = {
    "pypi": Ecosystem(
        re.compile(r"usr/lib/python3/dist-packages/(?P<name>[^/\s-]+)-[^/\s]*\.(?:dist|egg)-info(?:/\S*)?"),
        re.compile(r"python3-(.+)"),
    ),
    "npm": Ecosystem(
        re.compile(r"usr/share/nodejs/(?P<name>(?:@[^/\s]+/)?[^/@\s]+)/package\.json"), re.compile(r"node-(.+)")
    ),
    "cargo": Ecosystem(
        re.compile(rf"usr/share/cargo/registry/{_NAME}-\d+\.\d+\.\d+[^/\s]*/Cargo\.toml"),
        re.compile(r"librust-(.+?)(?:-\d[\d.]*)?-dev"),
    ),
    "golang": Ecosystem(
        re.compile(r"usr/share/gocode/src/(?P<name>[^/\s]+\.[^/\s]+/\S+)/go\.mod"), re.compile(r"golang-(.+)-dev")
    ),
    "maven": Ecosystem(
        re.compile(rf"usr/share/maven-repo/(?P<group>\S+)/{_NAME}/[^/\s]+/(?P=name)-[^/\s]+\.jar"),
        re.compile(r"(?:lib)?(.+?)(?:-java)?"),
    ),
}


# What Debian has and the registries of these ecosystems have not.
ELSEWHERE = {
    "pypi": {"python-apt"},
    "maven": {"cheshire/cheshire", "clj-time/clj-time", "ring/ring-core", "slingshot/slingshot"},
}


class Stanza(NamedTuple):
    """A binary package: its name, its source package, the names that it provides, and those that it depends on."""

    name: str
    source: str
    provides: frozenset[str]
    depends: frozenset[str]


def main(folder: Path) -> None:
    """Fetch what apt-get has, count, and write a list for each ecosystem."""
    files = fetched(folder)
    stanzas = {one.name: one for one in packages(file for kind, file in files if kind == "Packages")}
    users = dependents(stanzas.values())
    held = held_by_packages(file for kind, file in files if kind == "Contents-deb")
    for ecosystem, packages_with in held.items():
        counts: Counter[str] = Counter()
        for name, having in named_after(ecosystem, packages_with).items():
            own = {stanzas[package].source for package in having if package in stanzas}
            counts[name] = len(set().union(*(users[package] for package in having)) - own)
        usual = (name for name in counts if not is_elsewhere(ecosystem, name))
        write(ecosystem, sorted(usual, key=lambda name: (-counts[name], name))[:MOST], counts)


# ---- what Debian has ---------------------------------------------------------------------------------------------


def fetched(folder: Path) -> list[tuple[str, str]]:
    """Kind and path of each list."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    settings = folder / "apt.conf"
    settings.write_text(SETTINGS.format(folder))
    environment = {"APT_CONFIG": str(settings), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    subprocess.run(["apt-get", "--quiet", "update"], check=True, env=environment)
    command = ["apt-get", "indextargets", "--format", "$(CREATED_BY) $(FILENAME)"]
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return [(kind, file) for kind, _, file in (line.partition(" ") for line in said.stdout.splitlines())]


def lines(file: str) -> Iterator[str]:
    """The lines of a list, whatever it is packed with."""
    command = ["/usr/lib/apt/apt-helper", "cat-file", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace") as process:
        assert process.stdout is not None
        yield from process.stdout


def packages(files: Iterable[str]) -> Iterator[Stanza]:
    fields: dict[str, str] = {}
    for file in files:
        for line in lines(file):
            if line == "\n":
                yield stanza(fields)
                fields = {}
            elif not line[0].isspace():
                key, _, value = line.partition(":")
                fields[key] = value.strip()


def stanza(fields: dict[str, str]) -> Stanza:
    source = fields.get("Source", fields["Package"]).partition(" ")[0]
    depends = f"{fields.get('Depends', '')},{fields.get('Pre-Depends', '')}"
    return Stanza(fields["Package"], source, names(fields.get("Provides", "")), names(depends))


def names(text: str) -> frozenset[str]:
    """The names of a relation such as ``a (>= 1) | b:any, c``."""
    return frozenset(
        found for one in re.split(r"[,|]", text) if (found := one.strip().partition(" ")[0].partition(":")[0])
    )


def dependents(stanzas: Iterable[Stanza]) -> dict[str, set[str]]:
    """The source packages that depend on each binary package."""
    stanzas = list(stanzas)
    providing: dict[str, set[str]] = defaultdict(set)
    for one in stanzas:
        for name in (one.name, *one.provides):
            providing[name].add(one.name)
    found: dict[str, set[str]] = defaultdict(set)
    for one in stanzas:
        for package in {package for name in one.depends for package in providing[name]}:
            found[package].add(one.source)
    return found


def held_by_packages(files: Iterable[str]) -> dict[str, dict[str, set[str]]]:
    """For each ecosystem, the names that each package of Debian has."""
    found: dict[str, dict[str, set[str]]] = {ecosystem: defaultdict(set) for ecosystem in ECOSYSTEMS}
    for file in files:
        for line in lines(file):
            if not line.startswith(("usr/share/", "usr/lib/python3/")):
                continue
            path, _, where = line.rstrip().rpartition(" ")
            for ecosystem, known in ECOSYSTEMS.items():
                if match := known.path.fullmatch(path.rstrip()):
                    for package in (one.rpartition("/")[2] for one in where.split(",")):
                        found[ecosystem][package].add(called(match))
    return found


def called(match: re.Match[str]) -> str:
    parts = match.groupdict()
    return f"{parts['group'].replace('/', '.')}/{parts['name']}" if "group" in parts else parts["name"]


# ---- which of them counts ----------------------------------------------------------------------------------------


def named_after(ecosystem: str, packages_with: dict[str, set[str]]) -> dict[str, set[str]]:
    """The packages of Debian that have each package of an ecosystem and are called after it, or have no other."""
    found: dict[str, set[str]] = defaultdict(set)
    for package, held in packages_with.items():
        if name := ECOSYSTEMS[ecosystem].package.fullmatch(package):
            if ecosystem == "golang":
                # Below the module of a repository there are those of its examples and tools.
                found[min(held, key=lambda one: (one.count("/"), one))].add(package)
            elif chosen := chosen_of(held, plain(name[1])):
                found[canonical(ecosystem, chosen)].add(package)
    return found


def chosen_of(held: set[str], wanted: str) -> str | None:
    if len(held) == 1:
        return min(held)
    alike = [one for one in held if plain(one.rpartition("/")[2]) == wanted or plain(one) == wanted]
    # Of Maven's groups the one that is called as the package is the older and lasting one: commons-io/commons-io.
    return min(alike, key=lambda one: (len(set(one.split("/"))), one), default=None)


def is_elsewhere(ecosystem: str, name: str) -> bool:
    """Whether a package is not in its registry: also bundles of Eclipse, and Clojars, whose groups are no domains."""
    group, _, artifact = name.partition("/")
    if name in ELSEWHERE.get(ecosystem, ()):
        return True
    return ecosystem == "maven" and (group.startswith("org.eclipse.") or ("." not in group and group not in artifact))


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def canonical(ecosystem: str, name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "pypi" else name


def write(ecosystem: str, chosen: list[str], counts: Counter[str]) -> None:
    """Write a list, the most used first, and print how often the first and the last are used."""
    made = datetime.now(timezone.utc).date()
    release = re.search(r'PRETTY_NAME="([^"]+)"', Path("/etc/os-release").read_text())
    head = f"# Counted in {release[1] if release else 'Debian'} on {made} by tools/starters, the most used first.\n"
    LISTS.mkdir(exist_ok=True)
    (LISTS / f"{ecosystem}.txt").write_text(head + "".join(f"{name}\n" for name in chosen))
    print(f"{ecosystem}: {len(counts)} known; {chosen[0]} ({counts[chosen[0]]}) … {chosen[-1]} ({counts[chosen[-1]]})")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).absolute())
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
