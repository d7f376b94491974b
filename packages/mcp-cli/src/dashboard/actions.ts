import { isRecord } from '@x/internal/json';
import type { Control } from '../control/control.js';
import type { ServerOutcome, ServerRow } from '../control/reports.js';
import { Refusal } from './http.js';
import { type ActionResult, type AdminAction, type ConfirmationView, maxCalls } from './page-messages.js';

type Actions = Pick<
  Control,
  | 'status'
  | 'start'
  | 'stop'
  | 'restart'
  | 'pins'
  | 'approvePins'
  | 'approvals'
  | 'answerApproval'
  | 'recordCalls'
  | 'forgetRecordedCalls'
  | 'planServerEdit'
  | 'applyServerEdit'
  | 'planEditUndo'
  | 'undoServerEdit'
>;
type CallAction = Extract<AdminAction, { readonly id: string }>;
type RecordingAction = { readonly action: keyof typeof recordingQuestions };
type EditAction = Extract<AdminAction, { readonly action: 'edit-server' | 'undo-edit' }>;
type ServerAction = Exclude<AdminAction, { readonly action: 'approve' } | CallAction | RecordingAction | EditAction>;

const words = {
  start: { verb: 'Start', done: 'is started' },
  stop: { verb: 'Stop', done: 'is stopped' },
  restart: { verb: 'Restart', done: 'is restarted' },
} as const;

const recordingQuestions = {
  'record-calls': {
    question: 'Record the arguments and results of calls?',
    details: [
      `From now on those of every client’s calls, of at most ${maxCalls} calls and 8 MB, in the memory of the daemon only.`,
      'Known secrets, values under the names of secrets, and texts that look like one are hidden. Other private data is not.',
      'Every page with a key that may operate can read them, until they are forgotten or the daemon ends.',
    ],
    done: 'Calls are recorded.',
  },
  'stop-recording': {
    question: 'Stop recording calls?',
    details: ['What is recorded stays until it is forgotten.'],
    done: 'Calls are not recorded any more.',
  },
  'forget-recorded-calls': {
    question: 'Forget what is recorded?',
    details: ['Arguments and results of all recorded calls are removed from memory.'],
    done: 'The recorded calls are forgotten.',
  },
} as const;

/** @throws {Refusal} The body names no known action. */
export function parseAction(body: Readonly<Record<string, unknown>>): AdminAction {
  const { action } = body;
  if (action === 'approve') {
    return { action, server: text(body, 'server'), tool: text(body, 'tool'), digest: text(body, 'digest') };
  }
  if (action === 'approve-call' || action === 'deny-call') return { action, id: text(body, 'id') };
  if (action === 'edit-server') {
    const { changes } = body;
    if (!isRecord(changes)) throw new Refusal(400, 'invalid-request', 'changes must be an object');
    return { action, server: text(body, 'server'), changes, base: text(body, 'base') };
  }
  if (action === 'undo-edit') {
    const { change } = body;
    if (typeof change !== 'number') throw new Refusal(400, 'invalid-request', 'change must be a number');
    return { action, change };
  }
  if (typeof action === 'string' && Object.hasOwn(recordingQuestions, action)) {
    return { action: action as RecordingAction['action'] };
  }
  if (typeof action === 'string' && Object.hasOwn(words, action)) {
    return { action: action as ServerAction['action'], server: text(body, 'server') };
  }
  throw new Refusal(
    400,
    'invalid-request',
    `action must be one of ${[...Object.keys(words), 'approve', 'approve-call', 'deny-call', 'edit-server', 'undo-edit', ...Object.keys(recordingQuestions)].join(', ')}`,
  );
}

/** @throws {Refusal} The server or tool is unknown. */
export async function confirmationOf(action: AdminAction, control: Actions): Promise<Omit<ConfirmationView, 'id'>> {
  if (action.action === 'approve') return approvalQuestion(action, control);
  if ('id' in action) return callQuestion(action, control);
  if (isEdit(action)) return editQuestion(action, control);
  if (!('server' in action)) {
    const { question, details } = recordingQuestions[action.action];
    return { question, details };
  }
  const { server } = action;
  const row = (await control.status()).servers.find(({ name }) => name === server);
  if (!row) throw new Refusal(404, 'unknown-server', `No server is named "${server}"`);
  const details = action.action === 'start' ? [] : consequences(action.action, row);
  return { question: `${words[action.action].verb} “${server}”?`, details };
}

/** A failed start is a result, not an error. */
export async function runAction(action: AdminAction, control: Actions): Promise<ActionResult> {
  if ('id' in action) return answerCall(action, control);
  if (action.action === 'edit-server') return control.applyServerEdit(action);
  if (action.action === 'undo-edit') return control.undoServerEdit(action);
  if (!('server' in action)) return changeRecording(action, control);
  const { server } = action;
  if (action.action === 'approve') {
    const { tool, digest } = action;
    await control.approvePins({ tools: [{ server, tool, digest }] });
    return { isDone: true, message: `“${tool}” of “${server}” is approved.` };
  }
  const [outcome] = await control[action.action]({ servers: [server] });
  return resultOf(outcome, `“${server}” ${words[action.action].done}.`);
}

function isEdit(action: AdminAction): action is EditAction {
  return action.action === 'edit-server' || action.action === 'undo-edit';
}

async function editQuestion(action: EditAction, control: Actions): Promise<Omit<ConfirmationView, 'id'>> {
  if (action.action === 'undo-edit') {
    const { server, diff } = await control.planEditUndo(action);
    return { question: `Take back the edit of “${server}”?`, details: [], diff };
  }
  const { server, changes, base } = action;
  const plan = await control.planServerEdit({ server, changes });
  if (plan.outcome !== 'planned') {
    throw new Refusal(409, 'cannot-edit', plan.outcome === 'refused' ? plan.message : 'There is nothing to save');
  }
  if (plan.base !== base) {
    throw new Refusal(409, 'changed-since-read', `${plan.file} has changed since this preview. Look at the new one`);
  }
  return {
    question: `Save “${server}” in ${plan.file}?`,
    details: [...plan.effects, ...plan.warnings],
    diff: plan.diff,
  };
}

async function approvalQuestion(
  { server, tool, digest }: Extract<AdminAction, { readonly action: 'approve' }>,
  control: Actions,
): Promise<Omit<ConfirmationView, 'id'>> {
  const offered = (await control.pins({ server })).tools.find((each) => each.tool === tool);
  if (!offered) throw new Refusal(404, 'unknown-tool', `“${server}” offers no tool named “${tool}”`);
  if (offered.digest !== digest) {
    throw new Refusal(409, 'changed-since-read', `“${tool}” has changed since it was shown. Read it again`);
  }
  const details = [
    'Every caller whose role allows it can then read and call the current definition.',
    ...offered.findings.map(({ code, severity }) => `Found in its definition (${severity}): ${code}.`),
  ];
  return { question: `Approve “${tool}” of “${server}”?`, details };
}

async function callQuestion({ action, id }: CallAction, control: Actions): Promise<Omit<ConfirmationView, 'id'>> {
  const call = (await control.approvals()).find((each) => each.id === id);
  if (!call) throw new Refusal(409, 'no-longer-waiting', noLongerWaits);
  const question = action === 'approve-call' ? 'Let this call run, once?' : 'Refuse this call?';
  return { question, details: call.text.split('\n').slice(1) };
}

async function answerCall({ action, id }: CallAction, control: Actions): Promise<ActionResult> {
  const isApproved = action === 'approve-call';
  const { isAnswered: isDone } = await control.answerApproval({ id, isApproved, by: 'dashboard' });
  if (!isDone) return { isDone, message: noLongerWaits };
  return { isDone, message: `The call is ${isApproved ? 'approved' : 'denied'}.` };
}

async function changeRecording({ action }: RecordingAction, control: Actions): Promise<ActionResult> {
  if (action === 'forget-recorded-calls') await control.forgetRecordedCalls();
  else await control.recordCalls({ isOn: action === 'record-calls' });
  return { isDone: true, message: recordingQuestions[action].done };
}

const noLongerWaits = 'This call no longer waits: it was answered, cancelled, or has expired.';

function consequences(
  action: 'stop' | 'restart',
  { callsInFlight, callsQueued, autoStart, pid }: ServerRow,
): readonly string[] {
  const calls = callsInFlight + callsQueued;
  return [
    ...(pid === undefined ? [] : [`Its process ${pid} ends.`]),
    ...(calls === 0 ? [] : [`${calls} ${calls === 1 ? 'call has' : 'calls have'} 10 seconds to finish.`]),
    ...(action === 'stop' && autoStart ? ['The next call of one of its tools starts it again.'] : []),
  ];
}

function resultOf(outcome: ServerOutcome | undefined, done: string): ActionResult {
  if (outcome?.status === 'failed') return { isDone: false, message: outcome.error.message };
  return { isDone: true, message: done };
}

function text(body: Readonly<Record<string, unknown>>, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw new Refusal(400, 'invalid-request', `${key} must be a string`);
}
