import type { HostAdapter, HostFact } from '../adapters/host-adapter.js';
import verified from './verified.json' with { type: 'json' };

/** Where one fact of a host's file is known from. */
export type HostEvidence =
  /** The program was run, and did what the fact says. `date` is `YYYY-MM-DD`. */
  | {
      readonly fact: HostFact;
      readonly by: 'program';
      readonly program: string;
      readonly version: string;
      readonly date: string;
    }
  /** The program's source, or its documentation. */
  | { readonly fact: HostFact; readonly by: 'source' | 'documentation' };

interface Run {
  readonly version: string;
  readonly date: string;
  readonly facts: readonly string[];
}

const programs: Readonly<Record<string, { readonly program: string; readonly runs: readonly Run[] }>> = verified;

/** Evidence for each fact that the adapter states. The newest version counts. */
export function hostEvidence(adapter: HostAdapter): readonly HostEvidence[] {
  const { id, fromSource = [] } = adapter;
  const { program = '', runs = [] } = programs[id] ?? {};
  return factsOf(adapter).map((fact) => {
    const run = runs.find(({ facts }) => facts.includes(fact));
    if (run !== undefined) return { fact, by: 'program', program, version: run.version, date: run.date };
    return { fact, by: fromSource.includes(fact) ? 'source' : 'documentation' };
  });
}

function factsOf({ entry }: HostAdapter): readonly HostFact[] {
  const { stdio, http, sse, variables, toggle, timeout, tools } = entry;
  const isStated: Readonly<Record<HostFact, boolean>> = {
    place: true,
    stdio: true,
    args: true,
    env: true,
    cwd: stdio.cwd !== undefined,
    http: http !== undefined,
    sse: sse !== undefined,
    headers: http !== undefined,
    variables: variables.syntax !== undefined && variables.unverified !== true,
    off: toggle !== undefined,
    timeout: timeout !== undefined,
    tools: tools !== undefined && tools.readOnly !== true,
  };
  return (Object.keys(isStated) as HostFact[]).filter((fact) => isStated[fact]);
}
