import { Button, Group, Stack } from '@mantine/core';
import { LogOut, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../api/api-types.ts';
import { useSession } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { t, tn } from '../../texts/t.ts';
import { UserForm } from './user-form.tsx';

interface Props {
  user: User | 'new' | undefined;
  onClose: () => void;
}

export function UserDrawer({ user, onClose }: Props) {
  const features = useApi('GET /api/features', undefined, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <FormDrawer
      // Waits for the first response, so the first field can take the focus.
      opened={user !== undefined && features.isFetched}
      onClose={onClose}
      title={t(user === 'new' ? 'users.addTitle' : 'users.editTitle')}
    >
      {(cancel) =>
        user !== undefined && (
          <Stack>
            <Loaded query={features}>
              {(known) => (
                <UserForm
                  key={user === 'new' ? 'new' : user.id}
                  user={user === 'new' ? undefined : user}
                  known={known}
                  onCancel={cancel}
                  onSaved={onClose}
                />
              )}
            </Loaded>
            {user !== 'new' && <Actions user={user} onClose={onClose} />}
          </Stack>
        )
      }
    </FormDrawer>
  );
}

function Actions({ user, onClose }: { user: User; onClose: () => void }) {
  const { user: self } = useSession();
  const [isAsking, setAsking] = useState(false);
  const remove = useApiWrite('DELETE /api/users/{id}', { changes: ['GET /api/users'] });
  const end = useApiWrite('DELETE /api/users/{id}/all-sessions', {
    onSuccess: ({ endedSessions }) => notifyDone(tn('users.endedSessions', endedSessions)),
  });
  if (user.id === self.id) return null;
  const { email } = user;
  return (
    <Group justify="space-between" pt="md">
      <Button
        variant="subtle"
        color="gray"
        leftSection={<LogOut size={16} aria-hidden />}
        loading={end.isPending}
        onClick={() => end.mutate({ path: { id: user.id } }, { onError: notifyProblem })}
      >
        {t('users.endSessions')}
      </Button>
      <Button
        variant="subtle"
        color="red"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {t('users.delete')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('users.deleteTitle', { email })}
        losses={[t('users.deleteLosses.access'), t('users.deleteLosses.filters'), t('users.deleteLosses.trail')]}
        confirmLabel={t('users.delete')}
        onConfirm={async () => {
          await remove.mutateAsync({ path: { id: user.id } });
          notifyDone(t('users.deleted', { email }));
          onClose();
        }}
        onClose={() => setAsking(false)}
      />
    </Group>
  );
}
