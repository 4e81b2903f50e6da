"""Which Python modules a target provides: what the strict rules check imports against."""

PyModulesInfo = provider(
    doc = "The Python modules of a target; a module stands for itself and all below it.",
    fields = {
        "direct": "List of the names of the modules that the target itself provides.",
        "transitive": "Depset of structs (label, modules) for the target's deps and theirs.",
    },
)

def module_name(file, imports = []):
    """Returns the name that a Python source file is imported by.

    Args:
      file: a `.py` File.
      imports: folders on Python's path, relative to the runfiles, such as `repo/dist/x`.
    """
    path = file.short_path
    path = path[len("../"):] if path.startswith("../") else path

    # A file of an external repository lies under the repository's name, which is on the path too.
    if file.owner and file.owner.workspace_name:
        path = path[len(file.owner.workspace_name) + 1:]
    for folder in imports:
        folder = folder.partition("/")[2]
        if folder and path.startswith(folder + "/"):
            path = path[len(folder) + 1:]
            break
    name = path[:-len(".py")].replace("/", ".")
    return name[:-len(".__init__")] if name.endswith(".__init__") else name

def label_text(label):
    """Returns a label as a BUILD file of its own workspace writes it, without a default target name."""
    repository = "@" + label.workspace_name if label.workspace_name else ""
    shorthand = label.package.split("/")[-1] == label.name
    return repository + "//" + label.package + ("" if shorthand else ":" + label.name)

def provided_modules(target):
    """Returns the names of the modules that a dep provides, or None where they cannot be known.

    Args:
      target: the dep.
    """
    if PyModulesInfo in target:
        return target[PyModulesInfo].direct
    sources = [file for file in target[DefaultInfo].files.to_list() if file.extension == "py"]
    if not sources:
        return None
    imports = target[PyInfo].imports.to_list() if PyInfo in target else []
    return [module_name(file, imports) for file in sources]

def modules_info(direct, deps):
    """Returns the PyModulesInfo of a target with these modules and deps."""
    return PyModulesInfo(
        direct = direct,
        transitive = depset(
            [
                struct(label = label_text(dep.label), modules = tuple(provided_modules(dep) or []))
                for dep in deps
            ],
            transitive = [dep[PyModulesInfo].transitive for dep in deps if PyModulesInfo in dep],
        ),
    )

def py_info(direct_sources, imports, deps):
    """Returns the PyInfo of a Python 3 target with these sources and deps.

    Args:
      direct_sources: list of the target's own Python Files.
      imports: depset of folders that the target adds to Python's path.
      deps: list of Python targets.
    """
    infos = [dep[PyInfo] for dep in deps if PyInfo in dep]
    return PyInfo(
        has_py2_only_sources = False,
        has_py3_only_sources = True,
        imports = depset(transitive = [imports] + [info.imports for info in infos]),
        transitive_sources = depset(
            direct_sources,
            order = "postorder",
            transitive = [info.transitive_sources for info in infos],
        ),
        uses_shared_libraries = any([info.uses_shared_libraries for info in infos]),
    )
