import type { PasswordHasher } from '../../src/accounts/PasswordHasher.ts';

/** Stands in for argon2 where the test is not about it; counts its hashes. */
export class InstantHasher implements PasswordHasher {
  hashes = 0;

  async hash(password: string): Promise<string> {
    this.hashes++;
    return `hash of ${password.length} characters`;
  }

  async verify(passwordHash: string, password: string): Promise<boolean> {
    return passwordHash === `hash of ${password.length} characters`;
  }

  needsRehash(): boolean {
    return false;
  }
}
