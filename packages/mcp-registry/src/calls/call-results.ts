import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';

/** False for a task, and if the client must respond first. */
export function isFinalResult(result: ToolCallResult): boolean {
  return result.resultType !== 'input_required' && !isTaskResult(result);
}

/** True if the call continues as a task, of revision 2025-11-25 or of the later extension. */
export function isTaskResult(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { resultType, task, content } = value;
  return resultType === 'task' || (isRecord(task) && (content === undefined || isEmptyList(content)));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function invalidResult({ name }: ToolView, result: unknown): RegistryError {
  const got = isRecord(result)
    ? 'an object without a list of valid content'
    : result === null
      ? 'null'
      : `a ${typeof result}`;
  const message = `The source of ${name} returned ${got}, which is not a tool result; the tool may have had its effect`;
  return new RegistryError('invalid-result', message, { tool: name });
}
