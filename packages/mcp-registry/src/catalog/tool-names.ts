import { NearestNames, publicName, readName } from '@x/internal/names';
import type { ToolView } from '@x/internal/views';
import type { Catalog } from './catalog.js';

const MAX_OFFERED = 3;

/** Public names of tools with a similar public or own name, best first. */
export function nearestNames(wanted: string, tools: readonly ToolView[]): readonly string[] {
  const nearest = new NearestNames(wanted, MAX_OFFERED);
  for (const { name, tool } of tools) {
    nearest.offer(name);
    if (tool !== name) nearest.offer(name, tool);
  }
  return nearest.best();
}

/** The tool of a name as in rules: the public name, `server.tool`, `server/tool`, or its own name if unique. */
export function findWritten(name: string, catalog: Catalog): ToolView | undefined {
  const view = catalog.find(name)?.view;
  if (view !== undefined) return view;
  const reading = readName(name, (server) => catalog.names.knows(server));
  if (reading?.part !== undefined) {
    const { server, part } = reading;
    const read = catalog.find(publicName(server, part))?.view;
    if (read?.server === server && read.tool === part) return read;
  }
  const [only, ...others] = catalog.current.tools.filter(({ tool }) => tool === name);
  return others.length === 0 ? only : undefined;
}
