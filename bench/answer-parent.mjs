/** Answers what the parent asks of this process by the command's name; the other side is `AskedProcess`. */
export function answerParent(commands) {
  process.once('disconnect', () => process.exit()); // a parent that was killed could not end it
  process.on('message', async ({ command, ...options }) => {
    try {
      process.send({ value: await commands[command](options) });
    } catch (error) {
      process.send({ error: error.stack });
    }
  });
}
