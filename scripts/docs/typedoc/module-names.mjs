// A TypeDoc plugin: a module is called what people import, `@x/mcp-registry/node`, not where its source lies.
import { Converter } from 'typedoc';

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = module.name.replace(/^(mcp-[^/]+)\/src/, '@x/$1');
    }
  });
}
