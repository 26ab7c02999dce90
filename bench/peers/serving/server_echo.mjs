// Answers each request with its own body: what any server on node:http takes for these bytes.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json');
    response.end(Buffer.concat(chunks));
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('{}\n'));
