import { Stack } from '@mantine/core';
import { Changelog } from './changelog.tsx';
import { DeprecatedUse } from './deprecated-use.tsx';
import { Keys } from './keys.tsx';
import { PinnedVersion } from './pinned-version.tsx';

export function ApiPage() {
  return (
    <Stack gap="lg">
      <Keys />
      <PinnedVersion />
      <DeprecatedUse />
      <Changelog />
    </Stack>
  );
}
