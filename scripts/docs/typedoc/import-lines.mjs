// A TypeDoc plugin: below its title, the page of an export shows the line that imports it.

import { ReflectionKind } from 'typedoc';
import { MarkdownPageEvent } from 'typedoc-plugin-markdown';

const types = ReflectionKind.Interface | ReflectionKind.TypeAlias;

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const { model } = page;
    if (model.parent?.kindOf?.(ReflectionKind.Module)) {
      page.contents = page.contents.replace(/^# .*\n/, (title) => `${title}\n${importLine(model)}\n`);
    }
  });
}

function importLine(model) {
  const keyword = model.kindOf(types) ? 'import type' : 'import';
  return `\`\`\`ts\n${keyword} { ${model.name} } from '${model.parent.name}';\n\`\`\`\n`;
}
