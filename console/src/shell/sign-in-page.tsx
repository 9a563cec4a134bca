import { Box, Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useSignIn } from '../api/session.ts';
import { isDemo } from '../environment.ts';
import { t } from '../texts/t.ts';
import { ColorSwitch } from './color-switch.tsx';
import { LogoMark } from './logo.tsx';
import { SignInForm } from './sign-in-form.tsx';
import classes from './sign-in-page.module.css';

export function SignInPage() {
  const { loadSession } = useSignIn();
  return (
    <Box className={classes.ground}>
      <title>{`${t('signIn.title')} · Waypost`}</title>
      <Box className={classes.corner}>
        <ColorSwitch />
      </Box>
      <Center mih="100vh" component="main" p="md">
        <Stack w="100%" maw={400} gap="xl">
          <Group justify="center" gap="sm">
            <LogoMark size={40} />
            <Text fw={700} fz={28} lh={1}>
              {t('app.name')}
            </Text>
          </Group>
          <Card padding="xl" shadow="sm">
            <Title order={1} mb={4}>
              {t('signIn.welcome')}
            </Title>
            <Text c="dimmed" size="sm" mb="lg">
              {t('signIn.lead')}
            </Text>
            <SignInForm submitLabel={t('signIn.submit')} onSignedIn={loadSession} />
          </Card>
          {isDemo && (
            <Text c="dimmed" size="sm" ta="center">
              {t('signIn.demo')}
            </Text>
          )}
        </Stack>
      </Center>
    </Box>
  );
}
