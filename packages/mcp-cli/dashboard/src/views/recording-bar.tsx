import { useState } from 'preact/hooks';
import type { CallView, RecordedValue, RecordingView } from '../../../src/dashboard/page-messages.js';
import { messageOf, request, type Session } from '../api.js';
import { counted, formatBytes } from '../format.js';
import type { Act } from '../parts/confirm-dialog.js';

interface RecordingBarProps {
  readonly recording: RecordingView;
  readonly act: Act;
  /** The shown calls, which the export contains. */
  readonly calls: readonly CallView[];
  readonly session: Session;
}

/** The state of the recording with its switch, and the export of the shown calls. */
export function RecordingBar({ recording, act, calls, session }: RecordingBarProps) {
  const { isOn, calls: count, size, maxCalls, maxSize } = recording;
  const [problem, setProblem] = useState('');
  const save = () => {
    exportCalls(calls, session).then(
      () => setProblem(''),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  const kept = `${counted(count, 'call')}, ${formatBytes(size)}, of at most ${maxCalls} calls and ${formatBytes(maxSize)}`;
  return (
    <div class="recording">
      <p>
        {isOn ? (
          <span class="badge badge-bad">● recording</span>
        ) : (
          <span class="badge badge-quiet">○ not recording</span>
        )}{' '}
        <span class="note">
          {isOn || count > 0 ? `Arguments and results: ${kept}.` : 'Arguments and results of calls are not kept.'}
        </span>
      </p>
      <div class="buttons">
        {act && (
          <button type="button" onClick={() => act({ action: isOn ? 'stop-recording' : 'record-calls' })}>
            {isOn ? 'Stop recording …' : 'Record …'}
          </button>
        )}
        {act && count > 0 && (
          <button type="button" onClick={() => act({ action: 'forget-recorded-calls' })}>
            Forget …
          </button>
        )}
        <button type="button" onClick={save} disabled={calls.length === 0}>
          Export as JSON lines
        </button>
      </div>
      {problem !== '' && <p class="error">{problem}</p>}
    </div>
  );
}

/** Saves the calls, oldest first, a JSON object a line, with what was recorded of them. */
async function exportCalls(calls: readonly CallView[], { adminKey }: Session): Promise<void> {
  const ids = calls.flatMap(({ record }) => record ?? []);
  const records =
    adminKey === undefined || ids.length === 0 ? [] : await request('recordedCalls', { ids }, undefined, adminKey);
  const byId = new Map(records.map((record) => [record.id, record]));
  const lines = calls.toReversed().map(({ id: _id, at, record, ...call }) => {
    const kept = record === undefined ? undefined : byId.get(record);
    return JSON.stringify({
      time: new Date(at).toISOString(),
      ...call,
      ...(kept && {
        arguments: readValue(kept.args),
        ...(kept.result && { result: readValue(kept.result) }),
        ...(kept.error !== undefined && { message: kept.error }),
        stages: kept.stages,
        ...(kept.traceId !== undefined && { traceId: kept.traceId }),
      }),
    });
  });
  const url = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'mcpx-calls.jsonl';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function readValue({ json, left }: RecordedValue): unknown {
  return json === undefined ? { notRecorded: left } : JSON.parse(json);
}
