import * as http from 'node:http';

/** A process that sends `count` concurrent sign-ups for each message and reports the statuses. Arguments: URL, count. */
const [url = '', count = '0'] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });

function signUp(email: string): Promise<number> {
  const body = JSON.stringify({ email, password: 'correct horse 42', confirm_password: 'correct horse 42' });
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}/signup`,
      { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

process.on('message', (round: number) => {
  void Promise.all(Array.from({ length: Number(count) }, (_, i) => signUp(`r${round}n${i}@example.com`))).then((statuses) => {
    process.send?.(statuses);
  });
});
