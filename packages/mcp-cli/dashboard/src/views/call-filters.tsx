import { useMemo, useState } from 'preact/hooks';
import type { CallView, ServerView } from '../../../src/dashboard/page-messages.js';
import { foreignLine } from '../foreign-text-parts.js';
import { memo } from '../memo.js';
import { type Route, useQueryValue } from '../use-route.js';
import { type Choice, type ChosenCalls, choices, durationLimit, textOf } from './call-criteria.js';

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
    took: useQueryValue(route, 'took'),
    since: useQueryValue(route, 'since'),
    until: useQueryValue(route, 'until'),
  };
  const texts = Object.entries(values).map(([name, [value]]) => [name, value] as const);
  const key = JSON.stringify(texts);
  const chosen = useMemo(() => Object.fromEntries(JSON.parse(key)) as ChosenCalls, [key]);
  return { chosen, change: (name, value) => values[name][1](value) };
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
  const [isOpen, setOpen] = useState(false);
  const used = Object.entries(chosen).filter(([, value]) => value !== '');
  const hidden = used.filter(([name]) => name !== 'q').length;
  const isWrong = chosen.took !== '' && durationLimit(chosen.took) === undefined;
  return (
    <search class="filters even">
      <TextFilter label="Text" name="q" chosen={chosen} change={change} />
      <button
        type="button"
        class="more-filters"
        aria-expanded={isOpen}
        aria-controls="call-filters"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Fewer' : 'More'} filters{hidden > 0 && `: ${hidden}`}
      </button>
      <div id="call-filters" class={isOpen ? undefined : 'closed'}>
        <TextFilter label="Tool" name="tool" chosen={chosen} change={change} />
        {choices.map((name) => (
          <label key={name}>
            {labels[name]}
            <select value={chosen[name]} onChange={({ currentTarget }) => change(name, currentTarget.value)}>
              <option value="">any</option>
              <Options texts={JSON.stringify(textsOf(calls, servers, name, chosen[name]))} />
            </select>
          </label>
        ))}
        <div class="times">
          <label>
            Took
            <input
              type="text"
              value={chosen.took}
              placeholder="> 100 ms"
              maxLength={20}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={isWrong}
              aria-describedby={isWrong ? 'took-fault' : undefined}
              onInput={({ currentTarget }) => change('took', currentTarget.value)}
            />
          </label>
          {(['since', 'until'] as const).map((name) => (
            <label key={name}>
              {name === 'since' ? 'Since' : 'Until'}
              <input
                type="datetime-local"
                step={1}
                value={chosen[name]}
                onInput={({ currentTarget }) => change(name, currentTarget.value)}
              />
            </label>
          ))}
        </div>
      </div>
      {used.length > 0 && (
        <button
          type="button"
          onClick={() => {
            for (const name of Object.keys(chosen)) change(name as keyof ChosenCalls, '');
          }}
        >
          Clear
        </button>
      )}
      {isWrong && (
        <p class="error fault" id="took-fault">
          ✕ A duration looks like “&gt; 100 ms”, “&lt; 2 s” or “1.5 min”. Until then, calls of any duration are shown.
        </p>
      )}
    </search>
  );
}

interface TextFilterProps extends CallFilterState {
  readonly label: string;
  readonly name: 'q' | 'tool';
}

function TextFilter({ label, name, chosen, change }: TextFilterProps) {
  return (
    <label>
      {label}
      <input
        type="search"
        value={chosen[name]}
        maxLength={256}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => change(name, currentTarget.value)}
      />
    </label>
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
