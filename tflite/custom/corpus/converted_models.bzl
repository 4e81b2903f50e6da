"""`converted_models`: models of `convert_models.py`, each behind a label of its own."""

def converted_models(name, models):
    """Models of `convert_models.py`, each behind a label of its own.

    A model `X` is the label `NAME/X.tflite`; all of them are the label `NAME`.

    Args:
      name: name of the target, and of the folder that the files have here.
      models: names of models in `MODELS` of `convert_models.py`.
    """
    native.genrule(
        name = name,
        testonly = True,
        outs = ["%s/%s.tflite" % (name, model) for model in models],
        # TensorFlow logs a page even when all is well: shown only when it is not.
        cmd = ("$(execpath :convert_models) --output_dir=$(RULEDIR)/%s %s > $(RULEDIR)/%s.log 2>&1 || " +
               "{ cat $(RULEDIR)/%s.log >&2; exit 1; }") % (name, " ".join(models), name, name),
        message = "Converting the models",
        tools = [":convert_models"],
    )
