import { callListener } from '@x/internal/events';

/** Hands what came to a listener. One that throws must take down neither the host nor what came in the same moment. */
export function deliver<Value>(listener: (value: Value) => void, value: Value): void {
  callListener('A listener of messages', () => listener(value));
}
