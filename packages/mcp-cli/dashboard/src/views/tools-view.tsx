import { useState } from 'preact/hooks';
import type { ToolDetail, ToolRow, ToolsView } from '../../../src/dashboard/page-messages.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useResponse } from '../use-response.js';
import { routeTo } from '../use-route.js';

export function ToolsListView({
  state,
  selected,
}: {
  readonly state: LiveState;
  readonly selected: string | undefined;
}) {
  const [query, setQuery] = useState('');
  const [server, setServer] = useState('');
  const [isPattern, setPattern] = useState(false);
  const { response, problem } = useResponse<ToolsView>(
    'tools',
    { query, server, regex: isPattern ? '1' : '' },
    toolsVersion(state),
  );
  return (
    <>
      <search class="filters">
        <label>
          Search
          <input
            type="search"
            value={query}
            maxLength={256}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
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
            checked={isPattern}
            onChange={({ currentTarget }) => setPattern(currentTarget.checked)}
          />
          Regular expression
        </label>
      </search>
      <p role="status" class="note">
        {problem ?? (response ? shownOf(response) : 'Searching …')}
      </p>
      <ul class="rows" aria-label="Tools">
        {response?.tools.map((tool) => (
          <ToolItem key={tool.name} tool={tool} isOpen={tool.name === selected} />
        ))}
      </ul>
    </>
  );
}

function shownOf({ tools, total }: ToolsView): string {
  return `${tools.length} of ${total} shown${tools.length < total ? '; search to see others' : ''}`;
}

function ToolItem({ tool, isOpen }: { readonly tool: ToolRow; readonly isOpen: boolean }) {
  const { name, server, title, description, state } = tool;
  return (
    <li class={isOpen ? 'row selected' : 'row'}>
      <div class="card-head">
        <a href={isOpen ? routeTo('tools') : routeTo('tools', name)} aria-current={isOpen ? 'true' : undefined}>
          <code>
            <ForeignText text={name} />
          </code>
        </a>
        <span class="note">
          <ForeignText text={server === undefined ? 'native' : `${server}, ${state}`} />
        </span>
      </div>
      {title !== undefined && (
        <p>
          <ForeignText text={title} />
        </p>
      )}
      {isOpen ? <ToolText tool={tool} /> : <Description text={description} isOpen={false} />}
    </li>
  );
}

function Description({ text, isOpen }: { readonly text: string | undefined; readonly isOpen: boolean }) {
  if (text === undefined) return null;
  return (
    <p class={isOpen ? 'description' : 'description clamped'}>
      <ForeignText text={text} links={isOpen} />
    </p>
  );
}

/** Complete text of a tool. The list contains the beginning of its description. */
function ToolText({ tool: { name, description } }: { readonly tool: ToolRow }) {
  const { response, problem } = useResponse<ToolDetail>('tool', { name });
  return (
    <>
      <Description text={response ? response.description : description} isOpen={true} />
      {!response && <p class="note">{problem ?? 'One moment …'}</p>}
      {response && (
        <p>
          <code>
            <ForeignText text={response.signature} />
          </code>
        </p>
      )}
      {response && (
        <details>
          <summary>Schema of the arguments</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          <pre tabIndex={0}>
            <ForeignText text={response.inputSchema} maxLength={50_000} />
          </pre>
        </details>
      )}
    </>
  );
}

/** Changes whenever the list of tools may have changed. */
function toolsVersion({ servers, fleet }: LiveState): string {
  const own = servers.map(({ name, state, tools }) => `${name} ${state} ${tools}`);
  const others = fleet?.servers.map(({ source, state, tools }) => `${source} ${state} ${tools}`) ?? [];
  return [...own, ...others].join('\n');
}
