import { useState } from 'preact/hooks';
import { recordOf } from '../../../src/call-words/schema-types.js';
import type { ConfigFilesView } from '../../../src/dashboard/page-messages.js';
import { fieldOf } from '../form/schema-field.js';
import { type FormState, MemberFields } from '../form/schema-form.js';
import type { LiveState } from '../live-state.js';
import { CopyText } from '../parts/copy-text.js';
import { ForeignText } from '../parts/foreign-text.js';
import { routeTo } from '../use-route.js';
import { type AddKind, addLine, addSchemas, type Typed } from './add-line.js';

const kinds: Readonly<Record<AddKind, string>> = { command: 'Command', url: 'URL', app: 'From an app' };

interface AddServerProps {
  readonly state: LiveState;
  readonly files: ConfigFilesView['files'];
}

/** Composes the command that adds a server. The page itself sends no program and no address. */
export function AddServer({ state, files }: AddServerProps) {
  const [kind, setKind] = useState<AddKind>('command');
  const [typed, setTyped] = useState<Typed>({});
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<string>();
  const schema = addSchemas[kind];
  const own = files.filter((file) => file.kind === 'config');
  const { [kind === 'app' ? 'server' : 'name']: named } = typed;
  const name = typeof named === 'string' ? named : '';
  const known = new Set(state.servers.map((server) => server.name));
  const isThere = asked !== undefined && asked === name && known.has(name);
  if (isThere) known.delete(name);
  const { faults, line } = addLine(kind, typed, {
    known,
    hasConfig: own.length > 0,
    configFile: own.find(({ layer }) => layer === 'explicit')?.path,
  });
  // A name that comes while its line is shown was added with it.
  if (line !== undefined && name !== '' && asked !== name) setAsked(name);
  const form: FormState = {
    root: schema,
    idPrefix: 'new-server',
    faults,
    isShown: (pointer) => left.has(pointer),
    onLeave: (pointer) => setLeft((before) => new Set(before).add(pointer)),
  };
  const field = fieldOf(schema, schema);
  return (
    <section class="panel add-server" aria-labelledby="add-server">
      <div class="card-head">
        <h2 id="add-server">Add a server</h2>
        <a href={routeTo('config')}>Close</a>
      </div>
      <p class="note">
        This makes the command to run in a terminal. Nothing of it is sent: no request of this page can name a program
        or an address.
      </p>
      <div class="chips">
        {(Object.keys(kinds) as readonly AddKind[]).map((each) => (
          <button key={each} type="button" class="chip" aria-pressed={each === kind} onClick={() => setKind(each)}>
            {kinds[each]}
          </button>
        ))}
      </div>
      <div class="settings">
        {field.kind === 'object' && (
          <MemberFields
            key={kind}
            {...field}
            path={[]}
            value={typed}
            onValue={(next) => setTyped(recordOf(next))}
            form={form}
          />
        )}
      </div>
      {line === undefined ? (
        <p class="note" role="status">
          {faults.size > 0
            ? 'The command is here as soon as the faults are corrected.'
            : 'Fill the required fields in.'}
        </p>
      ) : (
        <>
          <CopyText label="Run this in a terminal" text={line} />
          <p class="note">
            <ForeignText text={advice(kind, name, own)} maxLength={2_000} />
          </p>
        </>
      )}
      {isThere && (
        <p role="status">
          ✓{' '}
          <a href={routeTo('servers', name)}>
            <ForeignText text={name} maxLength={200} />
          </a>{' '}
          is there now.
        </p>
      )}
    </section>
  );
}

function advice(kind: AddKind, name: string, own: ConfigFilesView['files']): string {
  if (kind === 'app' && name === '') {
    return own.length === 0
      ? 'It writes a config with the servers of the app. Secrets become variables.'
      : 'It prints the servers of the app as a config, with variables for secrets. Write the name of one to add it.';
  }
  const [project] = own.filter(({ layer }) => layer === 'project');
  const folder = project === undefined ? 'the folder of the project' : project.path.replace(/[/\\][^/\\]*$/, '');
  const secrets =
    kind === 'app'
      ? 'Secrets of the app’s entry become variables, which must be set'
      : 'Variables that it names must be set';
  return `Run it in ${folder}. The daemon applies it within a second. ${secrets} where the daemon starts, or in the .env file.`;
}
