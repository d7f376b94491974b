import { stem } from './tokenize.js';

const ACTIONS = {
  look: 'get read fetch retrieve show view display describe list enumerate browse search find query lookup check',
  create: 'create add new make insert generate register',
  update: 'update edit modify change set patch rename replace configure',
  delete: 'delete remove drop erase clear destroy uninstall',
} as const;

export type Action = keyof typeof ACTIONS;

const ACTION_OF: ReadonlyMap<string, Action> = new Map(
  Object.entries(ACTIONS).flatMap(([action, words]) =>
    words.split(' ').map((word) => [stem(word), action as Action] as const),
  ),
);

export function actionOf(word: string): Action | undefined {
  return ACTION_OF.get(word);
}

export function firstActionOf(words: Iterable<string>): Action | undefined {
  for (const word of words) {
    const action = ACTION_OF.get(word);
    if (action !== undefined) return action;
  }
  return undefined;
}
