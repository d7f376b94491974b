import type { Catalog } from './catalog.js';
import type { ToolView } from './tool-view.js';

/**
 * The tool that people mean by a name as rules spell it: the public name, `server.tool`, `server/tool`, or the tool's own
 * name where one server alone has it.
 */
export function findWritten(name: string, catalog: Catalog): ToolView | undefined {
  const view = catalog.find(name)?.view;
  if (view !== undefined) return view;
  const { tools } = catalog.current;
  const qualified = tools.find(
    ({ server, tool }) => server !== undefined && (`${server}.${tool}` === name || `${server}/${tool}` === name),
  );
  if (qualified !== undefined) return qualified;
  const [only, ...others] = tools.filter(({ tool }) => tool === name);
  return others.length === 0 ? only : undefined;
}
