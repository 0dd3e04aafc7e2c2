/** Another window: takes the write lock of the database argv[2], says so, and keeps it until its input ends. */

import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync(process.argv[2] ?? '');
db.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.on('end', () => {
  db.exec('COMMIT');
  db.close();
});
process.stdin.resume();
