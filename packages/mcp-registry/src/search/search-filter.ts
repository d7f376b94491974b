import type { ToolView } from '@x/internal/views';
import type { Snapshot } from '../catalog/snapshot.js';
import type { SearchPolicy } from './search-request.js';

export type AcceptsName = (name: string) => boolean;

export function isWanted({ server, include }: SearchPolicy): (view: ToolView) => boolean {
  return (view) =>
    (server === undefined || view.server === server) &&
    (include === 'all' || view.state === 'running' || view.state === 'degraded');
}

/** `undefined` if all tools are wanted, which is faster. */
export function acceptsNames(policy: SearchPolicy, { entries }: Snapshot): AcceptsName | undefined {
  if (policy.server === undefined && policy.include === 'all') return undefined;
  const accepts = isWanted(policy);
  return (name) => {
    const view = entries.get(name)?.view;
    return view !== undefined && accepts(view);
  };
}
