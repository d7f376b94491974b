import { useState } from 'preact/hooks';
import type { ToolDetail, ToolRow, ToolsView } from '../../../src/dashboard/page-messages.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useAnswer } from '../use-answer.js';
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
  const { answer, problem } = useAnswer<ToolsView>(
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
        {problem ?? (answer ? `${answer.tools.length} of ${answer.total} shown` : 'Searching …')}
      </p>
      <ul class="rows" aria-label="Tools">
        {answer?.tools.map((tool) => (
          <ToolItem key={tool.name} tool={tool} isOpen={tool.name === selected} />
        ))}
      </ul>
    </>
  );
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
        <span class="note">{server === undefined ? 'native' : `${server}, ${state}`}</span>
      </div>
      {title !== undefined && (
        <p>
          <ForeignText text={title} />
        </p>
      )}
      {description !== undefined && (
        <p class={isOpen ? 'description' : 'description clamped'}>
          <ForeignText text={description} links={isOpen} />
        </p>
      )}
      {isOpen && <ToolSchema name={name} />}
    </li>
  );
}

function ToolSchema({ name }: { readonly name: string }) {
  const { answer, problem } = useAnswer<ToolDetail>('tool', { name });
  if (!answer) return <p class="note">{problem ?? 'One moment …'}</p>;
  return (
    <>
      <p>
        <code>
          <ForeignText text={answer.signature} />
        </code>
      </p>
      <details>
        <summary>Schema of the arguments</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
        <pre tabIndex={0}>
          <ForeignText text={answer.inputSchema} />
        </pre>
      </details>
    </>
  );
}

/** Changes whenever the answer may. */
function toolsVersion({ servers }: LiveState): string {
  return servers.map(({ name, state, tools }) => `${name} ${state} ${tools}`).join('\n');
}
