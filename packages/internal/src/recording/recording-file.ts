import { isRecord, parseJson } from '../json/json-values.js';

/** A JSON-RPC message as it was sent. */
export type RecordedMessage = Readonly<Record<string, unknown>>;

/** The first line of a recording. */
export const recordingHeader = { format: 'mcp-recording', version: 1 } as const;

/** A further line. `at`: milliseconds since the begin. `end`: the recorder stopped before the connection did. */
export type RecordingLine =
  | { readonly at: number; readonly from: 'client' | 'server'; readonly message: RecordedMessage }
  | { readonly at: number; readonly end: 'limit' };

/** Messages of one connection in their order. */
export interface Recording {
  readonly messages: readonly { readonly from: 'client' | 'server'; readonly message: RecordedMessage }[];
}

/**
 * Reads the text of a recording. Ignores unknown keys, and a last line without a line feed, whose writer was killed.
 *
 * @throws {TypeError} Names the line that is wrong and what it must be.
 */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n');
  lines.pop();
  const header = objectIn(lines[0] ?? '');
  if (header?.format !== recordingHeader.format || header.version !== recordingHeader.version) {
    throw new TypeError(`Line 1 must be ${JSON.stringify(recordingHeader)}. Record a file with "mcpx record"`);
  }
  return { messages: lines.slice(1).flatMap((line, index) => messageIn(line, index + 2)) };
}

function messageIn(line: string, number: number): Recording['messages'] {
  const { from, message, end } = objectIn(line) ?? {};
  if ((from === 'client' || from === 'server') && isRecord(message)) return [{ from, message }];
  if (end !== undefined) return [];
  throw new TypeError(`Line ${number} must be {"at":…,"from":"client" or "server","message":{…}}`);
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(line);
  return isRecord(value) ? value : undefined;
}
