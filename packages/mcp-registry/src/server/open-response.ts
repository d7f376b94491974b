/** The same response, with `onEnd` called once when its body has been read, has failed, or is not wanted any more. */
export function withEnd(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const { status, statusText, headers } = response;
  return new Response(follow(response.body.getReader(), end), { status, statusText, headers });
}

function follow(reader: ReadableStreamDefaultReader<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
