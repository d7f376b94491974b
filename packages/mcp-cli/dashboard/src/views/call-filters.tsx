import { useMemo } from 'preact/hooks';
import type { CallView, ServerView } from '../../../src/dashboard/page-messages.js';
import { foreignLine } from '../foreign-text-parts.js';
import { hasWords } from '../format.js';
import { memo } from '../memo.js';
import { type Route, useQueryValue } from '../use-route.js';

const choices = ['server', 'client', 'role', 'outcome'] as const;
type Choice = (typeof choices)[number];

/** Empty: any. `q`: words in any text of the call, and of its record. */
export type ChosenCalls = Readonly<Record<Choice | 'tool' | 'q', string>>;

interface CallFilterState {
  readonly chosen: ChosenCalls;
  readonly change: (name: keyof ChosenCalls, value: string) => void;
}

/** The filters in the address of the page. */
export function useCallFilters(route: Route): CallFilterState {
  const values = {
    q: useQueryValue(route, 'q'),
    tool: useQueryValue(route, 'tool'),
    server: useQueryValue(route, 'server'),
    client: useQueryValue(route, 'client'),
    role: useQueryValue(route, 'role'),
    outcome: useQueryValue(route, 'outcome'),
  };
  const texts = Object.entries(values).map(([name, [value]]) => [name, value] as const);
  const key = JSON.stringify(texts);
  const chosen = useMemo(() => Object.fromEntries(JSON.parse(key)) as ChosenCalls, [key]);
  return { chosen, change: (name, value) => values[name][1](value) };
}

/** @param found - Ids of records that have the words. */
export function isChosen(call: CallView, { q, tool, ...exact }: ChosenCalls, found: ReadonlySet<number>): boolean {
  if (!choices.every((name) => exact[name] === '' || textOf(call, name) === exact[name])) return false;
  if (!hasWords([call.tool], tool)) return false;
  if (call.record !== undefined && found.has(call.record)) return true;
  return hasWords([call.tool, call.server, call.client, call.role, call.outcome, call.error], q);
}

const nobody = '–';

/** A call without a client or role has the value `–`. */
function textOf(call: CallView, name: Choice): string {
  return call[name] ?? nobody;
}

const labels: Readonly<Record<Choice, string>> = {
  server: 'Server',
  client: 'Client',
  role: 'Role',
  outcome: 'Outcome',
};

interface CallFiltersProps {
  readonly calls: readonly CallView[];
  /** Offered also without a call. */
  readonly servers: readonly ServerView[];
  readonly filters: CallFilterState;
}

export function CallFilters({ calls, servers, filters: { chosen, change } }: CallFiltersProps) {
  const isAny = Object.values(chosen).some((value) => value !== '');
  return (
    <search class="filters even">
      <label>
        Text
        <input
          type="search"
          value={chosen.q}
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => change('q', currentTarget.value)}
        />
      </label>
      <label>
        Tool
        <input
          type="search"
          value={chosen.tool}
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => change('tool', currentTarget.value)}
        />
      </label>
      {choices.map((name) => (
        <label key={name}>
          {labels[name]}
          <select value={chosen[name]} onChange={({ currentTarget }) => change(name, currentTarget.value)}>
            <option value="">any</option>
            <Options texts={JSON.stringify(textsOf(calls, servers, name, chosen[name]))} />
          </select>
        </label>
      ))}
      {isAny && (
        <button
          type="button"
          onClick={() => {
            for (const name of Object.keys(chosen)) change(name as keyof ChosenCalls, '');
          }}
        >
          Clear
        </button>
      )}
    </search>
  );
}

/** `texts`: a list as JSON, which is the same text while no option changes. */
const Options = memo(({ texts }: { readonly texts: string }) =>
  (JSON.parse(texts) as readonly string[]).map((value) => (
    <option key={value} value={value}>
      {foreignLine(value, 80)}
    </option>
  )),
);

/** Also the chosen one, and all servers: with many calls, the list would otherwise change with each of them. */
function textsOf(calls: readonly CallView[], servers: readonly ServerView[], name: Choice, value: string) {
  const all = new Set(calls.map((call) => textOf(call, name)));
  if (name === 'server') for (const server of servers) all.add(server.name);
  if (value !== '') all.add(value);
  return [...all].sort();
}
