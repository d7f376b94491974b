import type { ConfigDifference, ServerConfigView, ServerView } from '../../../src/dashboard/page-messages.js';
import { CopyText } from '../parts/copy-text.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useReport } from '../use-response.js';
import { routeTo } from '../use-route.js';

interface ServerConfigPartProps {
  readonly server: ServerView;
  /** Changes with the config in effect. */
  readonly configVersion: string;
  /** Default `false`. */
  readonly mayEdit?: boolean;
}

const layers: Readonly<Record<string, string>> = {
  user: 'your own config',
  project: 'the config of the project',
  explicit: 'a file that --config names',
};

/** The entry of a server, where it is from, and what of it is not in effect. */
export function ServerConfigPart({ server: { name, state }, configVersion, mayEdit = false }: ServerConfigPartProps) {
  const version = `${configVersion} ${state}`;
  const { response, problem } = useReport<ServerConfigView>('server-config', version, { server: name });
  if (!response) return <p class="note">{problem ?? 'One moment …'}</p>;
  const { file, line, layer, entry, differences } = response;
  return (
    <>
      {file !== undefined && (
        <p>
          From {layers[layer] ?? 'a config'}:{' '}
          <code>
            <ForeignText text={`${file}:${line}`} />
          </code>
        </p>
      )}
      {entry !== undefined && (
        <p>
          <a href={routeTo('config', name)}>{mayEdit ? 'Change its settings' : 'Its settings'}</a>
        </p>
      )}
      {entry === undefined ? (
        <p class="note">The files have no such entry any more. It is in effect until the files are valid.</p>
      ) : (
        <CopyText label="Entry" text={entry} />
      )}
      {entry !== undefined && differences.length === 0 && (
        <p class="note">✓ {state === 'running' ? 'It runs like that.' : 'It starts like that.'}</p>
      )}
      {differences.length > 0 && <Differences differences={differences} />}
    </>
  );
}

function Differences({ differences }: { readonly differences: readonly ConfigDifference[] }) {
  return (
    <section aria-labelledby="differences">
      <h3 id="differences">Not in effect</h3>
      <p class="note">
        The files say something else than what the daemon uses. It applies them as soon as all of them are valid.
      </p>
      <ul class="rows" aria-label="Fields that are not in effect">
        {differences.map(({ field, running, now }) => (
          <li key={field} class="row">
            <strong>
              <ForeignText text={field} />
            </strong>
            {running === now && <p class="note">A part that is not shown has changed.</p>}
            {running !== now && (
              <div class="diff">
                <p class="removed">
                  − <ForeignText text={running ?? 'not set'} />
                </p>
                <p class="added">
                  + <ForeignText text={now ?? 'not set'} />
                </p>
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
