import { NearestNames } from '@x/internal/names';
import type { ToolView } from '@x/internal/views';

const MAX_OFFERED = 3;

/** Public names of tools with a similar public or own name, best first. */
export function nearestNames(wanted: string, tools: readonly Pick<ToolView, 'name' | 'tool'>[]): readonly string[] {
  const nearest = new NearestNames(wanted, MAX_OFFERED);
  for (const { name, tool } of tools) {
    nearest.offer(name);
    if (tool !== name) nearest.offer(name, tool);
  }
  return nearest.best();
}
