import { countChanges, NearestNames } from '@x/internal/names';
import type { ToolView } from '@x/mcp-registry';

/**
 * The only tool that a misspelt name can mean: the only one that differs in case and separators alone, else the only one that is
 * near, with at most two changed letters and one in four. `undefined` unless it is read-only by its annotation.
 *
 * @param wanted - Compared with the tools' own names.
 */
export function nearTool(wanted: string, tools: readonly ToolView[]): ToolView | undefined {
  const same = tools.filter(({ tool }) => folded(tool) === folded(wanted));
  const [found, ...others] = same.length > 0 ? same : misspelt(wanted, tools);
  return others.length === 0 && found?.annotations?.readOnlyHint === true ? found : undefined;
}

function misspelt(wanted: string, tools: readonly ToolView[]): readonly ToolView[] {
  const nearest = new NearestNames(wanted, 2);
  for (const { tool } of tools) nearest.offer(tool);
  const [near, second] = nearest.best();
  if (near === undefined || second !== undefined) return [];
  const [short = '', long = ''] = [folded(near), folded(wanted)].sort((one, other) => one.length - other.length);
  const most = Math.min(2, Math.floor(short.length / 4));
  if (long.length > longest || countChanges(short, long, most) > most) return [];
  return tools.filter(({ tool }) => tool === near);
}

/** Of names that `countChanges` compares. */
const longest = 80;

function folded(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
