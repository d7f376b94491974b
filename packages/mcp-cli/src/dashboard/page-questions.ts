import { randomBytes } from 'node:crypto';
import { isRecord } from '@x/internal/json';
import { formFields, invalidForm, looksSecret } from '../elicitation/form-fields.js';
import { warningsAbout, webAddress } from '../elicitation/web-address.js';
import { Refusal } from './http.js';
import type { QuestionAnswer, QuestionView } from './page-messages.js';
import { truncate } from './page-views.js';

const maxMessageLength = 4_000;
const maxNameLength = 200;
/** Characters of a form's schema. */
const maxSchemaLength = 64 * 1_024;

type Send = (message: { readonly ask: QuestionView } | { readonly withdrawn: string }) => void;

/** Questions of servers about requests of pages, until they are answered or withdrawn. */
export class PageQuestions {
  readonly #waiting = new Map<string, (answer: QuestionAnswer) => void>();

  /**
   * Asks the page that made the request.
   *
   * @returns The answer; `decline` for an address that is not a web page.
   * @throws {Error} With the code of invalid params: the form cannot be asked.
   */
  async ask(question: unknown, send: Send, signal: AbortSignal): Promise<QuestionAnswer | Record<never, never>> {
    const id = randomBytes(32).toString('base64url');
    const view = viewOf(id, question);
    if (view === 'nothing') return {};
    if (view === 'decline') return { action: 'decline' };
    signal.throwIfAborted();
    const answered = new Promise<QuestionAnswer>((resolve, reject) => {
      this.#waiting.set(id, resolve);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    send({ ask: view });
    try {
      return await answered;
    } finally {
      this.#waiting.delete(id);
      if (signal.aborted) send({ withdrawn: id });
    }
  }

  /**
   * @returns False if the question does not wait any more.
   * @throws {Refusal} The answer has the wrong form.
   */
  answer({ id, answer }: Readonly<Record<string, unknown>>): boolean {
    if (typeof id !== 'string' || !isAnswer(answer)) {
      throw new Refusal(400, 'invalid-request', 'An answer must be { id, answer: { action, content? } }');
    }
    const resolve = this.#waiting.get(id);
    resolve?.(answer);
    return resolve !== undefined;
  }
}

/** `nothing`: the page knows it already. */
function viewOf(id: string, question: unknown): QuestionView | 'nothing' | 'decline' {
  const { method, server, params } = isRecord(question) ? question : {};
  const from = { id, server: truncate(String(server), maxNameLength) };
  if (method === 'elicitation/visited') return { ...from, kind: 'visited' };
  if (method !== 'elicitation/create') return 'nothing'; // its call waits for an approval
  const { mode, message, url, requestedSchema } = isRecord(params) ? params : {};
  const text = { message: truncate(typeof message === 'string' ? message : '', maxMessageLength) };
  if (mode === 'url') {
    const page = webAddress(url);
    if (page === undefined) return 'decline';
    const { href, host } = page;
    return { ...from, ...text, kind: 'page', url: href, host, warnings: [...warningsAbout(page)] };
  }
  if (JSON.stringify(requestedSchema ?? {}).length > maxSchemaLength) {
    throw invalidForm(`The schema of the form has more than ${maxSchemaLength} characters`);
  }
  const secrets = formFields(requestedSchema).filter(looksSecret);
  const schema = isRecord(requestedSchema) ? requestedSchema : {};
  return { ...from, ...text, kind: 'form', schema, secrets: secrets.map(({ name }) => truncate(name, maxNameLength)) };
}

function isAnswer(answer: unknown): answer is QuestionAnswer {
  if (!isRecord(answer)) return false;
  const { action, content } = answer;
  const isAction = action === 'accept' || action === 'decline' || action === 'cancel';
  return isAction && (content === undefined || isRecord(content));
}
