import { useEffect, useMemo, useState } from 'preact/hooks';
import { recordOf } from '../../../src/call-words/schema-types.js';
import type { ServerEditPlan, ServerEditView } from '../../../src/dashboard/page-messages.js';
import { faultsOf } from '../form/check-arguments.js';
import { type Field, fieldOf } from '../form/schema-field.js';
import { type FormState, focusOnField, MemberFields } from '../form/schema-form.js';
import type { Act } from '../parts/confirm-dialog.js';
import { DiffText } from '../parts/diff-text.js';
import { FactRows } from '../parts/fact-rows.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod } from '../use-response.js';
import { routeTo } from '../use-route.js';
import { ServerRulesPart } from './server-rules-part.js';

interface ServerEditorProps {
  readonly server: string;
  readonly adminKey: string | undefined;
  readonly act: Act;
  /** Changes with the files and after each action. */
  readonly version: string;
}

/** The settings of a server, which change no launch, as a form with the difference that it makes. */
export function ServerEditor({ server, adminKey, act, version }: ServerEditorProps) {
  const { response, problem } = useMethod('serverEdit', { server }, version);
  return (
    <section class="panel server-editor" aria-labelledby="edit-server">
      <div class="card-head">
        <h2 id="edit-server">
          Settings of <ForeignText text={server} maxLength={200} />
        </h2>
        <a href={routeTo('config')}>Close</a>
      </div>
      {problem !== undefined && (
        <p class="error">
          ✕ <ForeignText text={problem} />
        </p>
      )}
      {!response && problem === undefined && <p class="note">One moment …</p>}
      {response && (
        <>
          <p class="note">
            In <ForeignText text={response.file} maxLength={1_000} />. What the server runs, its address and its
            variables are changed in the file: run “mcpx edit” in a terminal.
            {response.note !== undefined && ` ${response.note}`}
          </p>
          {act && adminKey !== undefined ? (
            <EditForm key={server} view={response} server={server} adminKey={adminKey} act={act} version={version} />
          ) : (
            <dl class="facts-list">
              <FactRows rows={Object.entries(response.values).map(([key, value]) => [key, JSON.stringify(value)])} />
            </dl>
          )}
          <ServerRulesPart server={server} rules={response.rules} />
        </>
      )}
    </section>
  );
}

interface EditFormProps {
  readonly view: ServerEditView;
  readonly server: string;
  readonly adminKey: string;
  readonly act: NonNullable<Act>;
  readonly version: string;
}

function EditForm({ view: { schema, groups, values }, server, adminKey, act, version }: EditFormProps) {
  /** What was typed, by key; `null` for a field that is left out. */
  const [typed, setTyped] = useState<Readonly<Record<string, unknown>>>({});
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const changes = changesOf(values, typed);
  const count = Object.keys(changes).length;
  // What is saved is no change any more, also if it is taken back later.
  useEffect(() => {
    if (count === 0) setTyped({});
  }, [values]);
  const { response, problem } = useMethod(
    'planServerEdit',
    count === 0 ? undefined : { server, changes },
    version,
    adminKey,
  );
  const plan = count === 0 ? undefined : response;
  const value = Object.fromEntries(Object.entries({ ...values, ...typed }).filter(([, each]) => each !== null));
  const faults = useMemo(() => withPlanFaults(faultsOf(schema, value), plan), [schema, typed, values, plan]);
  const form: FormState = {
    root: schema,
    idPrefix: 'setting',
    faults,
    isShown: (pointer) => left.has(pointer) || plan?.outcome === 'faults',
    onLeave: (pointer) => setLeft((before) => new Set(before).add(pointer)),
  };
  const field = fieldOf(schema, schema);
  const change = (next: unknown) => {
    const wanted = recordOf(next);
    const all = new Set([...Object.keys(values), ...Object.keys(wanted)]);
    setTyped(Object.fromEntries([...all].map((key) => [key, Object.hasOwn(wanted, key) ? wanted[key] : null])));
  };
  const save = () => {
    const [first] = faults.keys();
    if (first !== undefined) focusOnField(form, first);
    else if (plan?.outcome === 'planned') act({ action: 'edit-server', server, changes, base: plan.base });
  };
  return (
    <form
      noValidate
      aria-labelledby="edit-server"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {field.kind === 'object' &&
        groups.map(({ title, keys }) => (
          <fieldset key={title} class="setting-group">
            <legend>{title}</legend>
            <div class="setting-fields">
              <MemberFields
                {...field}
                members={membersOf(field, keys)}
                path={[]}
                value={value}
                onValue={change}
                form={form}
              />
            </div>
          </fieldset>
        ))}
      <section class="preview" aria-labelledby="preview" aria-live="polite">
        <h3 id="preview">What saving does</h3>
        {count === 0 && <p class="note">Nothing is changed yet.</p>}
        {count > 0 && problem !== undefined && <p class="error">✕ {problem}</p>}
        {count > 0 && !plan && problem === undefined && <p class="note">One moment …</p>}
        {plan && <Preview plan={plan} />}
      </section>
      <div class="buttons">
        <button type="button" disabled={count === 0} onClick={() => setTyped({})}>
          Discard
        </button>
        <button type="submit" class="primary" disabled={count === 0}>
          Save …
        </button>
      </div>
    </form>
  );
}

function membersOf({ members }: Extract<Field, { readonly kind: 'object' }>, keys: readonly string[]) {
  return keys.flatMap((key) => members.filter(({ name }) => name === key));
}

/** Typed values that differ from those of the file. */
function changesOf(
  values: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const written = (key: string) => (Object.hasOwn(values, key) ? values[key] : null);
  return Object.fromEntries(
    Object.entries(typed).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(written(key))),
  );
}

/** Faults that the page has found itself come first. */
function withPlanFaults(own: ReadonlyMap<string, string>, plan: ServerEditPlan | undefined) {
  if (plan?.outcome !== 'faults') return own;
  const found = plan.faults.map(({ field, message }) => [`/${field}`, message] as const);
  return new Map([...found.filter(([pointer]) => !own.has(pointer)), ...own]);
}

function Preview({ plan }: { readonly plan: ServerEditPlan }) {
  switch (plan.outcome) {
    case 'unchanged':
      return <p class="note">The file has these values already.</p>;
    case 'faults':
      return <p class="error">✕ It cannot be saved: see the faults beside the fields.</p>;
    case 'refused':
      return (
        <>
          <p class="error">
            ✕ <ForeignText text={plan.message} />
          </p>
          {plan.details.length > 0 && (
            <pre>
              <ForeignText text={plan.details.join('\n')} />
            </pre>
          )}
        </>
      );
    case 'planned':
      return (
        <>
          <ul aria-label="Effects">
            {[...plan.effects, ...plan.warnings].map((line) => (
              <li key={line}>
                <ForeignText text={line} />
              </li>
            ))}
          </ul>
          <DiffText text={plan.diff} label={`Difference of ${plan.file}`} />
        </>
      );
  }
}
