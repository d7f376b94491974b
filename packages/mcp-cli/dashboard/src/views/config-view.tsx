import { useState } from 'preact/hooks';
import type { ConfigFilesView, ConfigView, ToolReadinessView } from '../../../src/dashboard/page-messages.js';
import type { Session } from '../api.js';
import { AddServer } from '../config/add-server.js';
import { ConfigFile, issueId } from '../config/config-file.js';
import { ServerEditor } from '../config/server-editor.js';
import { formatTime } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod, useReport } from '../use-response.js';
import { type Route, routeTo } from '../use-route.js';

interface ConfigFilesPageProps {
  readonly state: LiveState;
  /** Its item is the server to edit. `add` in its query opens the form for a new one. */
  readonly route: Route;
  readonly session: Session;
  readonly act: Act;
  /** Changes after each action. */
  readonly version: string;
}

/** The files of the config with their issues, an editor for one server, and the readiness of tools. */
export function ConfigFilesPage({
  state,
  route: { item, query },
  session,
  act,
  version: action,
}: ConfigFilesPageProps) {
  const [checks, setChecks] = useState(0);
  const { configReadAt, configProblem } = state.daemon ?? {};
  const version = `${checks}\n${configReadAt}\n${configProblem}\n${action}`;
  const { response, problem } = useMethod('configFiles', noParams, version);
  const tools = state.servers.find(({ name }) => name === item)?.tools;
  return (
    <>
      <NotInEffect state={state} />
      {response?.lastEdit && act && <LastEdit edit={response.lastEdit} act={act} state={state} />}
      {item !== undefined && (
        <ServerEditor key={item} server={item} adminKey={session.adminKey} act={act} version={`${version}\n${tools}`} />
      )}
      {query.add !== undefined && response && <AddServer state={state} files={response.files} />}
      <section aria-labelledby="files">
        <div class="card-head">
          <h2 id="files">Files</h2>
          <a href={routeTo('config', undefined, { add: 'server' })}>Add a server …</a>
          <button type="button" class="small" onClick={() => setChecks(checks + 1)}>
            Check again
          </button>
        </div>
        {response ? <Files view={response} /> : <p class="note">{problem ?? 'One moment …'}</p>}
      </section>
      {response && <Unset unset={response.unset} />}
      <Requirements state={state} version={version} />
    </>
  );
}

interface LastEditProps {
  readonly edit: NonNullable<ConfigFilesView['lastEdit']>;
  readonly act: NonNullable<Act>;
  readonly state: LiveState;
}

function LastEdit({ edit: { change, server, at }, act, state }: LastEditProps) {
  return (
    <p class="last-edit">
      Latest edit by the dashboard: “<ForeignText text={server} maxLength={200} />
      ”, {formatTime(at + state.clockAheadMs)}.{' '}
      <button type="button" class="small" onClick={() => act({ action: 'undo-edit', change })}>
        Undo<span class="visually-hidden"> the latest edit</span>
      </button>
    </p>
  );
}

const noParams = {};

/** A broken edit, and what runs in its place. */
function NotInEffect({ state: { daemon, clockAheadMs } }: { readonly state: LiveState }) {
  if (daemon?.configProblem === undefined) return null;
  return (
    <section class="panel not-in-effect" aria-labelledby="not-in-effect">
      <h2 id="not-in-effect">✕ The latest edit is not in effect</h2>
      <pre>
        <ForeignText text={daemon.configProblem} />
      </pre>
      <p class="note">
        The daemon uses the version that it read at {formatTime(daemon.configReadAt + clockAheadMs)}, and applies the
        files as soon as all of them are valid.
      </p>
    </section>
  );
}

function Files({ view: { problem, files, moreIssues } }: { readonly view: ConfigFilesView }) {
  const isOfApps = files.length > 0 && files.every(({ kind }) => kind === 'host-app');
  return (
    <>
      {problem !== undefined && (
        <p class="error">
          ✕ <ForeignText text={problem} />
        </p>
      )}
      {isOfApps && (
        <p class="note">
          There is no config here, so the servers of other apps are used as they are. Files of apps are not shown, and
          nothing of them can be changed here. “mcpx init --from all” writes a config with these servers.
        </p>
      )}
      <Issues files={files} />
      {files.map((file, index) => (
        <ConfigFile key={file.path} id={fileId(index)} file={file} />
      ))}
      {moreIssues > 0 && <p class="note">{moreIssues} more issues; “mcpx validate” lists all.</p>}
    </>
  );
}

function fileId(index: number): string {
  return `file-${index}`;
}

/** One line for each issue, which leads to its place. */
function Issues({ files }: Pick<ConfigFilesView, 'files'>) {
  const issues = files.flatMap(({ path, issues: own }, file) =>
    own.map((issue, index) => ({ ...issue, path, id: issueId(fileId(file), index) })),
  );
  if (issues.length === 0) return files.length === 0 ? null : <p class="note">No issues: the files are all right.</p>;
  return (
    <ul class="issue-places" aria-label="Issues">
      {issues.map(({ id, severity, code, message, path, line, column }) => (
        <li key={id}>
          <button type="button" class="link" onClick={() => showPlace(id)}>
            {severity === 'error' ? '✕' : '◐'} <ForeignText text={`${path}:${line}:${column}`} maxLength={1_000} />
          </button>{' '}
          {code}: <ForeignText text={message} maxLength={300} />
        </li>
      ))}
    </ul>
  );
}

function showPlace(id: string): void {
  const place = document.getElementById(id);
  place?.scrollIntoView({ block: 'center' });
  place?.focus({ preventScroll: true });
}

function Unset({ unset }: Pick<ConfigFilesView, 'unset'>) {
  if (unset.length === 0) return null;
  return (
    <section aria-labelledby="unset">
      <h2 id="unset">Variables without a value</h2>
      <p class="note">
        These servers start when their variables are set: in the .env file beside the config, or in the environment of
        the daemon.
      </p>
      <ul class="rows" aria-label="Variables without a value">
        {unset.map(({ server, variables }) => (
          <li key={server} class="row">
            <strong>
              <ForeignText text={server} />
            </strong>
            :{' '}
            {variables.map((name, index) => (
              <>
                {index > 0 && ', '}
                <code key={name}>
                  <ForeignText text={name} />
                </code>
              </>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Requirements({ state, version }: { readonly state: LiveState; readonly version: string }) {
  const states = state.servers.map(({ name, state: now, health }) => `${name} ${now} ${health}`).join('\n');
  const { response, problem } = useReport<ConfigView>('config', `${version}\n${states}`);
  const requirements = response?.requirements;
  return (
    <section aria-labelledby="requirements">
      <h2 id="requirements">What tools need</h2>
      {!requirements && <p class="note">{problem ?? 'One moment …'}</p>}
      {requirements?.length === 0 && <p class="note">The config names no tools that need servers.</p>}
      <ul class="rows" aria-label="Requirements">
        {requirements?.map((tool) => (
          <Readiness key={tool.tool} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

const tones: Readonly<Record<string, string>> = { ready: 'good', degraded: 'warn', blocked: 'bad' };

function Readiness({ tool: { tool, readiness, requirements } }: { readonly tool: ToolReadinessView }) {
  return (
    <li class="row">
      <div class="card-head">
        <strong>
          <ForeignText text={tool} />
        </strong>
        <span class={`badge badge-${tones[readiness] ?? 'quiet'}`}>{readiness}</span>
      </div>
      <ul class="names">
        {requirements.map(({ tier, server, isSatisfied, status, hint }) => (
          <li key={`${tier} ${server}`}>
            {isSatisfied ? '✓' : '✕'} {tier} <ForeignText text={server} />: {status}
            {hint !== undefined && (
              <span class="note">
                {' '}
                <ForeignText text={hint} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}
