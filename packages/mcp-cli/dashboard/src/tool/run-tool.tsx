import type { ToolView } from '@x/mcp-registry';
import { useMemo, useState } from 'preact/hooks';
import { recordOf } from '../../../src/call-words/schema-types.js';
import { faultsOf } from '../form/check-arguments.js';
import { fieldOf, initialValue } from '../form/schema-field.js';
import { type FormState, focusOnField, MemberFields } from '../form/schema-form.js';
import type { LiveState } from '../live-state.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { CopyText } from '../parts/copy-text.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod } from '../use-response.js';
import { type Route, useQueryValue } from '../use-route.js';
import { commandOf, programOf } from './argument-texts.js';
import { CallOutcome } from './call-outcome.js';
import { JsonArguments } from './json-arguments.js';
import { RequestButtons, RequestQuestion } from './request-parts.js';
import { mayDestroy } from './tool-hints.js';
import { useCall } from './use-call.js';

interface RunToolProps {
  readonly tool: ToolView;
  readonly state: LiveState;
  /** Its query has the `role` that calls. */
  readonly route: Route;
  readonly adminKey: string;
}

/** The form; with `replay` in the query, once the arguments of that record are known. */
export function RunTool(props: RunToolProps) {
  const { route, adminKey } = props;
  const { replay } = route.query;
  const ids = replay === undefined ? undefined : { ids: [Number(replay)] };
  const { response, problem } = useMethod('recordedCalls', ids, 0, adminKey);
  if (replay !== undefined && !response && problem === undefined) return <p class="note">One moment …</p>;
  const json = response?.[0]?.args.json;
  return <ToolForm key={replay} {...props} replayed={replay === undefined ? undefined : (json ?? '')} />;
}

interface ToolFormProps extends RunToolProps {
  /** Arguments as JSON. Empty: they are not kept any more. */
  readonly replayed: string | undefined;
}

/** A form for the arguments, the call under a role, and its answer. */
function ToolForm({ tool, state, route, adminKey, replayed }: ToolFormProps) {
  const { name, inputSchema, outputSchema } = tool;
  const [value, setValue] = useState<unknown>(() =>
    recordOf(replayed ? JSON.parse(replayed) : initialValue(inputSchema, inputSchema)),
  );
  const [isJson, setJson] = useState(false);
  const [isTextBroken, setTextBroken] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [asksAgain, setAsksAgain] = useState(true);
  const [role, setRole] = useQueryValue(route, 'role');
  const caller = useCall('call', adminKey);
  const faults = useMemo(() => faultsOf(inputSchema, value), [inputSchema, value]);
  const args = recordOf(value);
  const call = { tool: name, args, ...(role !== '' && { role }) };
  const form: FormState = {
    root: inputSchema,
    faults,
    isShown: (pointer) => isSent || left.has(pointer),
    onLeave: (pointer) => setLeft((before) => new Set(before).add(pointer)),
  };
  const run = () => {
    setSent(true);
    const [first] = faults.keys();
    if (isTextBroken) document.getElementById('arguments-json')?.focus();
    else if (first !== undefined && isJson) document.getElementById('arguments-json')?.focus();
    else if (first !== undefined) focusOnField(form, first);
    else if (mayDestroy(tool) && asksAgain) setAsking(true);
    else caller.run(call);
  };
  const isRunning = caller.state.phase === 'running';
  return (
    <section class="panel run" aria-labelledby="run-heading">
      <div class="card-head">
        <h3 id="run-heading">Run it</h3>
        <div class="chips">
          <button type="button" class="chip" aria-pressed={!isJson} onClick={() => setJson(false)}>
            Form
          </button>
          <button type="button" class="chip" aria-pressed={isJson} onClick={() => setJson(true)}>
            JSON
          </button>
        </div>
      </div>
      {replayed !== undefined && <ReplayNote json={replayed} />}
      <form
        noValidate
        aria-labelledby="run-heading"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning) run();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (!isRunning) run();
        }}
      >
        {isJson ? (
          <JsonArguments
            value={value}
            onValue={setValue}
            onBroken={setTextBroken}
            faults={isSent ? faults : noFaults}
          />
        ) : (
          <ArgumentFields tool={tool} value={value} onValue={setValue} form={form} />
        )}
        {isSent && !isJson && faults.size > 0 && <FaultList form={form} />}
        <div class="run-bar">
          <RoleChoice tool={name} role={role} onRole={setRole} />
          <RequestButtons caller={caller} label="Run" runningLabel="Running …" title="Ctrl+Enter" />
        </div>
      </form>
      <CallOutcome
        state={caller.state}
        outputSchema={outputSchema}
        isWaiting={state.approvals.some((each) => each.server === tool.server && each.tool === tool.tool)}
      />
      <details class="take-along">
        <summary>Take this call along</summary>
        <CopyText label="In a terminal" text={commandOf(call, inputSchema)} />
        <CopyText label="In TypeScript" text={programOf(call, state.daemon?.configFiles ?? [])} />
      </details>
      <RequestQuestion caller={caller} />
      {isAsking && (
        <AskDialog
          question={`Run “${tool.tool}”${tool.server === undefined ? '' : ` of “${tool.server}”`}?`}
          label="Run"
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) caller.run(call);
          }}
        >
          <p>
            {tool.annotations?.destructiveHint === true
              ? 'Its server says that it may delete or overwrite data.'
              : 'Its server does not say that it leaves data as they are.'}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
          {/* biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are. */}
          <pre role="region" aria-label="Its arguments" tabIndex={0}>
            <ForeignText text={JSON.stringify(args, null, 2)} maxLength={20_000} />
          </pre>
          <label class="check">
            <input
              type="checkbox"
              checked={!asksAgain}
              onChange={({ currentTarget }) => setAsksAgain(!currentTarget.checked)}
            />
            Do not ask again while this page is open on this tool
          </label>
        </AskDialog>
      )}
    </section>
  );
}

function ReplayNote({ json }: { readonly json: string }) {
  if (json === '') return <p class="note">The arguments of that call are not kept any more.</p>;
  return (
    <p class="note">
      Filled in with the arguments of a recorded call.
      {json.includes('***') && ' Secrets were not recorded: replace each *** before you run it.'}
    </p>
  );
}

const noFaults: ReadonlyMap<string, string> = new Map();

function ArgumentFields({
  tool: { inputSchema },
  value,
  onValue,
  form,
}: {
  readonly tool: ToolView;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
  readonly form: FormState;
}) {
  const field = useMemo(() => fieldOf(inputSchema, inputSchema), [inputSchema]);
  if (field.kind !== 'object') {
    const isFree = inputSchema.additionalProperties !== false && Object.keys(recordOf(inputSchema)).length > 1;
    return <p class="note">It takes no arguments that a form could ask for{isFree ? '. JSON can hold any.' : '.'}</p>;
  }
  return <MemberFields {...field} path={[]} value={value} onValue={onValue} form={form} />;
}

function FaultList({ form }: { readonly form: FormState }) {
  const { faults } = form;
  return (
    <div role="alert">
      <p class="error">
        {faults.size === 1 ? 'One argument is not right yet:' : `${faults.size} arguments are not right yet:`}
      </p>
      <ul class="faults">
        {[...faults].slice(0, 20).map(([pointer, text]) => (
          <li key={pointer}>
            <button type="button" class="link" onClick={() => focusOnField(form, pointer)}>
              <ForeignText
                text={pointer === '' ? 'All of it' : pointer.slice(1).replaceAll('/', '.')}
                maxLength={200}
              />
            </button>{' '}
            <ForeignText text={text} maxLength={500} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RoleChoiceProps {
  readonly tool: string;
  readonly role: string;
  readonly onRole: (role: string) => void;
}

/** The role of the call, with the reason if it may not. */
function RoleChoice({ tool, role, onRole }: RoleChoiceProps) {
  const { response } = useMethod('roles', {});
  if (!response || response.length === 0) return null;
  return (
    <div class="role-choice">
      <label>
        As role
        <select value={role} onChange={({ currentTarget }) => onRole(currentTarget.value)}>
          <option value="">none, as the owner</option>
          {response.map(({ role: name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {role !== '' && <Decision role={role} tool={tool} />}
    </div>
  );
}

function Decision({ role, tool }: { readonly role: string; readonly tool: string }) {
  const { response, problem } = useMethod('explain', { role, tool });
  if (problem !== undefined) return <p class="error">{problem}</p>;
  if (!response) return null;
  return (
    <p role="status" class={response.decision === 'allowed' ? 'note' : 'error'}>
      <strong>{response.decision}: </strong>
      <ForeignText text={response.message} maxLength={1_000} />
    </p>
  );
}
