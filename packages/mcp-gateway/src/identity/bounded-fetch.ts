type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** A `fetch` that reads the body as text, and rejects once it exceeds `maxBytes`. */
export function fetchWithin(maxBytes: number): Fetch {
  return async (url, options) => {
    const { status, headers, body } = await fetch(url, options);
    const text = body === null ? '' : await readText(body, maxBytes);
    return new Response(text === '' ? null : text, { status, headers });
  };
}

async function readText(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new RangeError(`The answer has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
