"""`write_source`: a source file whose text a macro makes."""

def _write_source_impl(ctx):
    ctx.actions.write(ctx.outputs.out, ctx.attr.text)

write_source = rule(
    implementation = _write_source_impl,
    attrs = {
        "out": attr.output(doc = "The file to write.", mandatory = True),
        "text": attr.string(doc = "All that is in it.", mandatory = True),
    },
    doc = "A source file whose text a macro makes.",
)
