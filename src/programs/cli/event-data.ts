import { StringDecoder } from 'node:string_decoder';

/** The data of a stream of server-sent events, event by event, until the stream says that it is complete. */
export async function* eventData(chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const events = (rest + decoder.write(chunk as Buffer)).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n');
      if (lines.includes('event: complete')) return;
      const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
      // An event without data is a sign of life.
      if (data.length > 0) yield data.join('\n');
    }
  }
}
