import type { ResultOf } from '../api.js';
import { foreignLine } from '../foreign-text-parts.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod } from '../use-response.js';
import { type Route, routeTo, useQueryValue } from '../use-route.js';

interface ToolsListProps {
  readonly state: LiveState;
  /** Its query has the words as `q`, `server`, and `regex`, which is `1` for a regular expression. */
  readonly route: Route;
}

const maxShown = 100;

export function ToolsListView({ state, route }: ToolsListProps) {
  const [q, setQ] = useQueryValue(route, 'q');
  const [server, setServer] = useQueryValue(route, 'server');
  const [regex, setRegex] = useQueryValue(route, 'regex');
  const words = q.trim().slice(0, 256);
  const { response, problem } = useMethod(
    'search',
    {
      request: {
        query: words === '' ? '*' : words,
        useRegex: regex === '1' && words !== '',
        limit: maxShown,
        ...(server !== '' && { server }),
      },
    },
    toolsVersion(state),
  );
  return (
    <>
      <search class="filters">
        <label>
          Search
          <input
            type="search"
            value={q}
            maxLength={256}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setQ(currentTarget.value)}
          />
        </label>
        <label>
          Server
          <select value={server} onChange={({ currentTarget }) => setServer(currentTarget.value)}>
            <option value="">all</option>
            {state.servers.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={regex === '1'}
            onChange={({ currentTarget }) => setRegex(currentTarget.checked ? '1' : '')}
          />
          Regular expression
        </label>
      </search>
      <p role="status" class="note">
        {problem ?? (response ? shownOf(response) : 'Searching …')}
      </p>
      <ToolList tools={response?.tools ?? []} />
    </>
  );
}

/** Tools, a line each, that lead to their pages. */
export function ToolList({ tools }: { readonly tools: ResultOf<'search'>['tools'] }) {
  return (
    <ul class="dense" aria-label="Tools" hidden={tools.length === 0}>
      {tools.map((tool) => (
        <ToolItem key={tool.name} tool={tool} />
      ))}
    </ul>
  );
}

function shownOf({ tools, total }: ResultOf<'search'>): string {
  return `${tools.length} of ${total} shown${tools.length < total ? '; search to see others' : ''}`;
}

function ToolItem({ tool: hit }: { readonly tool: ResultOf<'search'>['tools'][number] }) {
  const { name, server, tool, title, description, state } = hit;
  return (
    <li>
      <a href={routeTo('tools', name)}>
        <code>
          <ForeignText text={tool} maxLength={200} />
        </code>
        <span class="visually-hidden"> of {foreignLine(server ?? 'mcpx')}</span>
      </a>
      <span class="about">
        <ForeignText text={title ?? description ?? ''} maxLength={300} />
      </span>
      <span class="note">
        <ForeignText text={server ?? 'mcpx itself'} maxLength={200} />
        {state !== 'running' && `, ${state}`}
      </span>
    </li>
  );
}

/** Changes whenever the list of tools may have changed. */
function toolsVersion({ servers, fleet }: LiveState): string {
  const own = servers.map(({ name, state, tools }) => `${name} ${state} ${tools}`);
  const others = fleet?.servers.map(({ source, state, tools }) => `${source} ${state} ${tools}`) ?? [];
  return [...own, ...others].join('\n');
}
