import type { ReloadReport } from '../control/reports.js';

export const nothingChanged: ReloadReport = {
  added: [],
  removed: [],
  updated: [],
  restarted: [],
  kept: [],
  roles: [],
  trust: false,
  settings: false,
};

export function isUnchanged({ added, removed, updated, restarted, roles, trust, settings }: ReloadReport): boolean {
  return [added, removed, updated, restarted, roles].every((names) => names.length === 0) && !trust && !settings;
}

/** The effect of two reloads in a row, as if it were one. */
export function combineReports(earlier: ReloadReport, later: ReloadReport): ReloadReport {
  const of = (name: string): Effect => both(effectOn(name, earlier), effectOn(name, later));
  const names = [...new Set([earlier, later].flatMap((report) => effects.flatMap((effect) => report[effect])))];
  const withEffect = (effect: Effect): readonly string[] => names.filter((name) => of(name) === effect);
  return {
    added: withEffect('added'),
    removed: withEffect('removed'),
    updated: withEffect('updated'),
    restarted: withEffect('restarted'),
    kept: withEffect('kept'),
    roles: [...new Set([...earlier.roles, ...later.roles])].toSorted(),
    trust: earlier.trust || later.trust,
    settings: earlier.settings || later.settings,
  };
}

const effects = ['added', 'removed', 'updated', 'restarted', 'kept'] as const;
/** `undefined`: the server came and went, or neither report names it. */
type Effect = (typeof effects)[number] | undefined;

function effectOn(name: string, report: ReloadReport): Effect {
  return effects.find((effect) => report[effect].includes(name));
}

function both(earlier: Effect, later: Effect): Effect {
  if (earlier === 'added') return later === 'removed' ? undefined : 'added';
  if (earlier === 'removed') return later === 'added' ? 'restarted' : 'removed';
  if (later === 'kept' || later === undefined) return earlier ?? later;
  return earlier === 'restarted' && later === 'updated' ? 'restarted' : later;
}
