/** What the clauses of a task begin with, beside the words of actions. */
export const TASK_VERBS: ReadonlySet<string> = new Set(
  (
    'analyze ask calculate close commit compare compute convert copy count deploy download draft draw email ' +
    'evaluate explain export extract give identify map merge monitor move notify open organize plan plot post ' +
    'provide publish pull push recommend record reply restart run save schedule send start stop store suggest ' +
    'summarize take tell translate upload visualize write'
  ).split(' '),
);
