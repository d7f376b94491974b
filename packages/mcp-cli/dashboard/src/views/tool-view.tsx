import { shapeOf, toPointer } from '@x/internal/json-schema';
import type { ToolView } from '@x/mcp-registry';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../api.js';
import { fieldOf, mergedSchema } from '../form/schema-field.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { RunTool } from '../tool/run-tool.js';
import { hintsOf } from '../tool/tool-hints.js';
import { useMethod } from '../use-response.js';
import { type Route, routeTo } from '../use-route.js';

interface ToolPageProps {
  readonly name: string;
  readonly state: LiveState;
  readonly route: Route;
  readonly session: Session;
}

/** One tool: its definition and, if the page may call, a form that runs it. */
export function ToolPage({ name, state, route, session: { may, adminKey } }: ToolPageProps) {
  const owner = state.servers.find((server) => name.startsWith(`mcp__${server.name}__`));
  const { response, problem } = useMethod('describe', { tool: name }, `${owner?.state} ${owner?.tools}`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [name]);
  const tool = response?.tool;
  return (
    <article class="tool-page" aria-labelledby="tool-name">
      <div class="tool-head">
        <a href={routeTo('tools')} onClick={goBack}>
          ← All tools
        </a>
        <h2 id="tool-name" ref={heading} tabIndex={-1}>
          <code>
            <ForeignText text={tool?.tool ?? name} maxLength={300} />
          </code>
        </h2>
        {tool && <ToolFacts tool={tool} />}
      </div>
      {!tool && <p class="note">{problem ?? 'One moment …'}</p>}
      {tool && (
        <div class={may === 'call' ? 'tool-parts' : 'tool-parts alone'}>
          <Definition tool={tool} hasForm={may === 'call'} />
          {may === 'call' && adminKey !== undefined && (
            <RunTool key={tool.name} tool={tool} state={state} route={route} adminKey={adminKey} />
          )}
        </div>
      )}
    </article>
  );
}

/** The list as it was left, if that is where the page comes from. */
function goBack(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || history.length < 2) return;
  event.preventDefault();
  history.back();
}

function ToolFacts({ tool }: { readonly tool: ToolView }) {
  const { server, state } = tool;
  return (
    <p class="tool-facts">
      {server === undefined ? (
        <span class="note">a tool of mcpx itself</span>
      ) : (
        <a href={routeTo('servers', server)}>
          <ForeignText text={server} maxLength={200} />
        </a>
      )}
      <span class="note">{state}</span>
      {hintsOf(tool).map(({ label, tone }) => (
        <span key={label} class={`badge badge-${tone}`}>
          {label}
        </span>
      ))}
    </p>
  );
}

function Definition({ tool, hasForm }: { readonly tool: ToolView; readonly hasForm: boolean }) {
  const { name, title, description, inputSchema, outputSchema } = tool;
  return (
    <section class="definition" aria-label="Definition">
      {title !== undefined && (
        <p>
          <strong>
            <ForeignText text={title} maxLength={1_000} />
          </strong>
        </p>
      )}
      {description === undefined ? (
        <p class="note">Its server describes it with no word.</p>
      ) : (
        <p class="description">
          <ForeignText text={description} links maxLength={50_000} />
        </p>
      )}
      {!hasForm && <Arguments schema={inputSchema} root={inputSchema} />}
      <dl class="facts-list">
        <div>
          <dt>Public name</dt>
          <dd>
            <code>
              <ForeignText text={name} />
            </code>
          </dd>
        </div>
        {outputSchema !== undefined && (
          <div>
            <dt>Structured answer</dt>
            <dd>
              <code>
                <ForeignText text={shapeOf(outputSchema, outputSchema)} />
              </code>
            </dd>
          </div>
        )}
      </dl>
      <SchemaText label="Schema of the arguments" schema={inputSchema} />
      {outputSchema !== undefined && <SchemaText label="Schema of the answer" schema={outputSchema} />}
    </section>
  );
}

function SchemaText({ label, schema }: { readonly label: string; readonly schema: object }) {
  return (
    <details>
      <summary>{label}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
      <pre tabIndex={0}>
        <ForeignText text={JSON.stringify(schema, null, 2)} maxLength={50_000} />
      </pre>
    </details>
  );
}

/** Members that are shown, by their depth. */
const maxMembers = [200, 12, 6] as const;

interface ArgumentsProps {
  readonly schema: unknown;
  readonly root: ToolView['inputSchema'];
  readonly path?: readonly string[];
}

/** The members of an object as a list to read. */
function Arguments({ schema, root, path = [] }: ArgumentsProps) {
  const field = fieldOf(schema, root);
  if (field.kind !== 'object') return path.length === 0 ? <p class="note">It takes no arguments.</p> : null;
  const shown = field.members.slice(0, maxMembers[path.length]);
  const more = field.moreMembers + field.members.length - shown.length;
  return (
    <ul class="arguments" aria-label={path.length === 0 ? 'Arguments' : undefined}>
      {shown.map(({ name, schema: each, isRequired }) => {
        const { description, fallback } = fieldOf(each, root);
        return (
          <li key={toPointer([...path, name])}>
            <p class="field-name">
              <code>
                <ForeignText text={name} maxLength={200} />
              </code>
              <span>
                <ForeignText text={shapeOf(mergedSchema(each, root), root)} maxLength={200} />
              </span>
              <span class="note">
                {isRequired ? 'required' : 'optional'}
                {fallback !== undefined && (
                  <>
                    , default <ForeignText text={JSON.stringify(fallback)} maxLength={200} />
                  </>
                )}
              </span>
            </p>
            {description !== undefined && (
              <p class="note">
                <ForeignText text={description} maxLength={2_000} />
              </p>
            )}
            {path.length + 1 < maxMembers.length && isNested(each, root) && (
              <Arguments schema={nestedIn(each, root)} root={root} path={[...path, name]} />
            )}
          </li>
        );
      })}
      {more > 0 && <li class="note">{more} more are in the schema.</li>}
    </ul>
  );
}

function nestedIn(schema: unknown, root: ToolView['inputSchema']): unknown {
  const field = fieldOf(schema, root);
  return field.kind === 'list' ? field.items : schema;
}

function isNested(schema: unknown, root: ToolView['inputSchema']): boolean {
  return fieldOf(nestedIn(schema, root), root).kind === 'object';
}
