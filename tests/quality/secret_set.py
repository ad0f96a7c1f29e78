"""Sentences, settings and commands with secrets, and harmless ones that look like them; `measure_secrets` reads them.

A line of the secrets is `kind | text`, `{}` standing for the secret; the kind says how the secret is made (`making`) or,
behind a colon, what it is. Secrets are put together when they are needed: no scanner of repositories finds one here. Rules
were tuned on the lines with an even number only.
"""

import base64
import random
import string
from collections.abc import Callable, Mapping

_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER_BASE32 = string.ascii_uppercase + "234567"

_SECRETS = r"""
openai | hey can you use {} for the embeddings, the old one is out of credit
openai | OPENAI_API_KEY={}
openai | I pasted the wrong thing: {}, please forget it
openai | openai.api_key = "{}"
openai | client = OpenAI(api_key="{}")
anthropic | the claude key for the staging box is {}
anthropic | x-api-key: {}
anthropic | {"anthropic": {"key": "{}"}}
openrouter | my openrouter account: {} (20 dollars left)
openrouter | LLM_KEY: "{}"
groq | groq works too, key {} expires never
huggingface | huggingface-cli login --token {}
huggingface | Bo gave me his hf token, {}, for the gated model
awsid | [default] aws_access_key_id = {}
awsid | the access key starts with {} if that helps
awssecret | aws_secret_access_key = {}
awssecret | export AWS_SECRET_ACCESS_KEY="{}"
awssecret | "SecretAccessKey": "{}",
awssecret | Secret access key {} is the one for the backup user
github | git clone https://{}@github.com/ana/notes.git
github | gh auth login with {}
github | GITHUB_TOKEN: {} # rotate in june
githubpat | my fine grained pat is {} and it can only read
gitlab | curl --header "PRIVATE-TOKEN: {}" https://gitlab.example.org/api/v4/projects
gitlab | runner registered with {}
slackbot | SLACK_BOT_TOKEN={}
slackbot | the bot in our workspace logs in with {} right?
slackhook | post it to https://hooks.slack.com/services/{}
discordhook | https://discord.com/api/webhooks/998877665544332211/{} is the alert channel
discordbot | discord.login("{}")
telegram | BotFather gave me {} for the garden bot
telegram | curl https://api.telegram.org/bot{}/getMe
stripe | stripe.api_key = '{}'
stripe | we charged twice because {} was live, not test
stripehook | endpoint_secret = "{}"
googlekey | maps.googleapis.com/maps/api/js?key={}&libraries=places
googlekey | the geocoding key: {}
googleoauth | "client_secret":"{}","redirect_uris":["http://localhost"]
googleoauth | oauth client secret {} in the console
npm | //registry.npmjs.org/:_authToken={}
npm | npm publish failed, {} is read only
pypi | twine upload -u __token__ -p {} dist/*
pypi | [pypi] username = __token__ password = {}
sendgrid | SENDGRID_KEY={} goes into the worker
sendgrid | mails go out with {} now
hex32:twilio | Twilio auth token: {}
hex32:twilio | TWILIO_AUTH_TOKEN={}
jwt | the session in the browser was {}
jwt | Authorization: Bearer {}
jwt | localStorage.setItem('jwt', '{}')
jwt | curl -H "Cookie: auth={}" https://app.example.org/me
opaque | Authorization: Bearer {}
opaque | -H 'Authorization: Token {}'
opaque | X-Auth-Token: {}
opaque | X-API-Key: {}
opaque | access_token={}&expires_in=3600
opaque | refresh_token: {}
opaque | {"token":"{}","user":"bo"}
opaque | the api token for the thermostat is {}
opaque | api token {} for the weather thing, don't lose it
opaque | Hier ist der API-Schlüssel: {}
opaque | mein Token ist {}
opaque | la clave de API es {}
opaque | la clé API est {}
opaque | Der Zugangstoken lautet {}
opaque | config.set("secret_key", "{}")
opaque | SECRET_KEY_BASE={}
opaque | django SECRET_KEY = '{}'
opaque | app.config['SECRET_KEY'] = "{}"
opaque | consumer_secret={}
opaque | "privateKey": "{}"
opaque | signing_secret: {}
opaque | client-secret: {}
opaque | webhook secret is {}
opaque | encryption_key = "{}"
opaque | --api-key {} --region eu
opaque | --client-secret={}
opaque | mycli login --token "{}"
opaque | https://api.example.org/v2/feed?apikey={}
opaque | https://example.org/hook?secret={}&x=1
opaque | https://example.org/cb?code=1&access_token={}
opaque | wss://stream.example.org/?auth_token={}
basic | Authorization: Basic {}
basic | curl -H "authorization: Basic {}" https://intranet.example.org
basic | "auths": {"registry.example.org": {"auth": "{}"}}
pemrsa | here is the key for the build machine:\n{}\nput it in ~/.ssh
pemopenssh | cat id_ed25519\n{}
pemec | ssl_key: |\n{}
pempgp | {}
word | postgres://shop:{}@db.example.org:5432/shop
word | DATABASE_URL=postgresql://ana:{}@10.0.0.5/app
word | mysql://root:{}@127.0.0.1/wp
word | mongodb://admin:{}@mongo:27017/?authSource=admin
word | redis://default:{}@cache.example.org:6379
word | amqps://queue:{}@rabbit.example.org/vhost
word | smtp://mailer%40example.org:{}@smtp.example.org:587
word | the nas is at smb://bo:{}@nas.local/share
word | sftp://deploy:{}@files.example.org/www
word | jdbc:mysql://db:3306/app?user=app&password={}
word | Server=tcp:sql.example.org;Database=crm;User ID=crm;Pwd={};Encrypt=yes
word | dsn: host=db user=ana password={} dbname=app
word | ldapsearch -x -D cn=admin -w {}
word | sshpass -p {} ssh pi@raspberry
word | mysql -uroot -p{} < dump.sql
word | redis-cli -a {} ping
word | PGPASSWORD={} psql -h db -U ana
word | openssl rsa -in k.pem -passin pass:{}
word | curl -u ana:{} https://dav.example.org
word | wget --user=ana --password={} https://example.org/x
word | net use Z: \\nas\share /user:bo {}
word | zip -P {} backup.zip notes
word | 7z a -p{} backup.7z notes
word | machine api.example.org login ana password {}
word | sudo htpasswd -b .htpasswd ana {}
word | echo {} | sudo -S apt update
word | my password for the router is {}
word | the wifi password is {} by the way
word | the wifi at the cabin: network Fjord, password {}
word | Netflix login is ana@example.org / {}
word | login: bo, password: {}
word | user: admin pass: {}
word | pw {}
word | I changed my password to {} yesterday
word | my new password is now {}
word | her passphrase is {}
word | the passcode is {}
word | the alarm code is 4711 and the password is {}
word | Das WLAN-Passwort ist {}
word | Kennwort: {}
word | mein Passwort für den Router ist {}
word | la contraseña del wifi es {}
word | mi contraseña es {}
word | le mot de passe du wifi est {}
word | a senha do banco é {}
word | пароль: {}
word | la password del wifi è {}
word | het wachtwoord is {}
word | 密码：{}
word | the root password of the old server was {}
word | set the admin password to {} please
word | remember that {} is my password for the library
word | "password": "{}"
word | password = "{}"
word | DB_PASSWORD={}
word | SMTP_PASS={}
word | MYSQL_ROOT_PASSWORD: {}
word | POSTGRES_PASSWORD={}
word | ansible_become_pass: {}
word | spring.datasource.password={}
word | <password>{}</password>
word | <add key="SmtpPassword" value="{}" />
word | db_pass => '{}'
word | requirepass {}
word | wpa_passphrase={}
word | psk="{}"
word | - name: ADMIN_PASSWORD\n  value: "{}"
word | export PASS={}
word | export DB_PASSWORD='{}'
word | export FOO={}
word | export X={}
word | export MYSQL_PW={}
word | I put export GARDEN={} into my bashrc
word | $env:DEPLOY = "{}"
word | setx VAULT {}
word | set -gx NIMBUS {}
word | ENV APP_SECRET={}
short | export K={}
short | export PIN={}
short | export GATE="{}"
spaced | export PASSPHRASE="{}"
spaced | export SEED='{}'
pin | my pin is {}
pin | PIN: {}
pin | the pin of the debit card is {}
pin | meine PIN lautet {}
pin | the pin code for the garage is {}
hex64 | export API_SECRET={}
hex64 | master key: {}
hex64 | APP_KEY={}
hex64 | the private key of the wallet is 0x{}
hex32 | my last.fm api key is {}
hex32 | api_key: {}
hex32 | openweathermap key {}
hex32 | appid={}&units=metric
base64 | AccountKey={};EndpointSuffix=core.windows.net
base64 | SharedAccessKey={}
base64 | storage account key: {}
base64 | APP_KEY=base64:{}
base64 | kind: Secret\ndata:\n  password: {}
totp | the 2fa secret is {}
totp | otpauth://totp/Example:ana?secret={}&issuer=Example
totp | TOTP_SECRET={}
recovery | my github recovery code is {}
recovery | backup code: {}
licence | license key: {}
licence | the licence key for the editor is {}
licence | product key {}
seed | seed phrase: {}
seed | my recovery phrase is {}
seed | the 12 words: {}
cookie | Cookie: sessionid={}
cookie | Set-Cookie: connect.sid={}; Path=/; HttpOnly
cookie | my session cookie is {}
sig | https://blob.example.net/c/f.zip?sv=2024-01-01&sig={}
sig | https://s3.example.org/b/k?X-Amz-Credential=x&X-Amz-Signature={}
vault | VAULT_TOKEN={}
digitalocean | doctl auth init -t {}
shopify | the shop token {} only reads orders
databricks | databricks configure --token {}
linear | LINEAR={}
age | # public key: age1abc\n{}
supabase | supabase login {}
atlassian | jira token {} for the report
tailscale | tailscale up --authkey {}
docker | docker login -u ana -p {}
postman | postman {}
figma | X-Figma-Token: {}
grafana | grafana service account {}
notion | notion integration {}
"""

HARMLESS = tuple(
    line.replace(r"\n", "\n")
    for line in r"""
We upgraded from 3.12.4 to 3.13.0rc2 last night
node v24.16.0, npm 11.2.0, pnpm@10.4.1
the image is ghcr.io/acme/api:2026.11.3-a4f9c21
the commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the build
git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904
git rebase -i HEAD~3 and push to feature/token-refresh
sha1: da39a3ee5e6b4b0d3255bfef95601890afd80709
checksum e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 matches
digest: sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1
md5sum 5d41402abc4b2a76b9719d911017c592  hello.txt
etag "33a64df551425fcc55e4d42a148795d9f25f89d4"
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==
user 7b9f0c1e-4d1b-4b39-8c53-0c1d5a4f2e10 has two orders
request_id=01J9ZK3T7QW8V5N2M4C6X8B0AA took 40 ms
trace id 4bf92f3577b34da6a3ce929d0e0e4736
the job 6f1d2a33-0000-4abc-9def-1234567890ab is stuck
order 2026-4711-A shipped on Monday
invoice INV-20261130-0042 over 1,249.90 EUR
tracking number 1Z999AA10123456784
flight LH2037 seat 14C at 06:45
booking reference X7K2PQ for the ferry
IBAN ends in 0130 00, that is enough
ISBN 978-0-262-03384-8 is the algorithms book
ISBN 0-306-40615-2 and ISSN 0378-5955
doi:10.1145/3292500.3330701
arXiv:2310.11511v2 explains it
the meeting is at 14:30, room B-204
from 9:00 to 17:30 on 2026-12-01T09:00:00+01:00
it took 1m 42.318s, then 00:03:12.5
the price went from $1,299 to $1,149.50
rent is 1.150,00 EUR warm
12.5 % of 3,400 is 425
temperature 21.5 C, humidity 48 %
coordinates 52.520008, 13.404954
192.168.178.1 is the router, 10.0.0.0/8 is ours
fe80::1ff:fe23:4567:890a%eth0
the printer is 00:1B:44:11:3A:B7
port 5432 and 6379 must stay closed
background: #1a2b3c; color: rgba(255, 99, 71, .5);
.token-list > li:nth-child(2n+1) { margin: 0 auto }
a.key:hover { color: #ff8800 }
<div class="api-key-box mt-4 px-2">no key yet</div>
const token = await getToken(user.id)
token = request.cookies.get("session")
let password = prompt("Password?")
password = getpass.getpass()
if (token !== null && token.length > 0) return token
def verify_password(plain: str, hashed: str) -> bool:
self.api_key = api_key or os.getenv("API_KEY")
secret = config["auth"]["secret"]
private_key = load_pem_private_key(data, password=None)
api_key=settings.api_key,
apiKey: process.env.API_KEY,
token: ${{ secrets.GITHUB_TOKEN }}
password: {{ vault_db_password }}
password: !vault |
DB_PASSWORD=${DB_PASSWORD:?missing}
DB_PASSWORD=<your password>
API_KEY=your_api_key_here
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxx
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
-H "Authorization: Bearer ${ACCESS_TOKEN}"
postgres://user:password@localhost/db is the shape
postgres://localhost/test
mongodb://mongo:27017/app
https://ana@example.org/x
https://user:${PASS}@example.org/
max_new_tokens=512, temperature=0.7
tokens: 1532 in, 404 out
prompt_tokens=812 completion_tokens=95
token limit is 200000 for this model
the tokenizer has 32000 tokens
bos_token_id = 1, eos_token_id = 2
pad_token: "[PAD]"
primary_key=True, unique=True
foreign_key: users.id
PRIMARY KEY (id, created_at)
sort_key = lambda row: row.name
partition key: customer_id
cache_key = f"user:{user_id}:v2"
key: ArrowDown
the key is under the flower pot
piano key F sharp sticks
keyboard: QWERTZ, layout de
press the key F5 twice
key findings: revenue up 12 percent
the key point is that we ship on Friday
public key infrastructure is hard
the public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxq7 for reading
secret santa is on the 18th
the secret of the sauce is anchovy
client secrets live in the vault
it is no secret that Bo hates meetings
secret garden cafe at 10
my password is too short
the password was wrong three times
I reset my password yesterday
we need a password policy
password: required
password manager: Bitwarden
the password is the same as before
passwords must be 14 characters long
passwordless login since version 4.2
password123 is a bad password, everyone knows
pass rate 97.5 percent
passed 412 of 418 tests
passport number is in the safe
boarding pass at gate B12
mountain pass 2,239 m high
PIN it to the board
the pin is 2 mm thick
pin 13 is the LED, pin 7 ground
pinned numpy==2.1.3
pin the tab
session 3 starts at 10:15
session id is logged at debug level
sessions: 42, users: 17
session_timeout = 3600
credentials: see the vault
signature: Dr. B. Okafor
the signature dish is ramen
cookie dough needs 200 g butter
Cookie: accept all or reject
auth: false
authentication_method = oauth2
author_id: 48213
authToken?: string;
export EDITOR=nvim
export PATH="$HOME/.local/bin:$PATH"
export LANG=de_DE.UTF-8
export TZ=Europe/Berlin
export NODE_OPTIONS=--max-old-space-size=4096
export JAVA_HOME=$(/usr/libexec/java_home -v 21)
export PYTHONPATH=src
export DEBUG=1
export CUDA_VISIBLE_DEVICES=0,1
export LOG_LEVEL=debug
export KUBECONFIG=~/.kube/config
export AWS_PROFILE=staging
export API_URL=https://api.example.org/v1
export PORT=8080
export const token = useToken()
export default function TokenList() {
export type Secret = string
export the report as PDF
set number and set tabstop=4 in vim
set x = 5 and solve for y
env | sort | head
ENV PYTHONUNBUFFERED=1
ENV NODE_ENV=production
curl -u ana https://example.org
curl -sSL https://example.org/install.sh | sh
ssh -p 2222 pi@raspberry
mkdir -p /srv/data/incoming
docker run -p 8080:80 nginx:1.27
mysql -u root -p shop
tar -xzf a.tgz -C /opt
psql -h db.example.org -p 5432 -U ana
zip -r backup.zip notes
7z x archive.7z
redis-cli -h cache -p 6379 ping
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
aGVsbG8gd29ybGQsIHRoaXMgaXMgbm90aGluZw== is hello world in base64
btoa("nothing here") gives bm90aGluZyBoZXJl
VGhlIHF1aWNrIGJyb3duIGZveA== decodes to a fox
lorem = "xJ4kQ9" * 3
MAX_RETRIES=5
RETRY_AFTER_S=30
ITEM_COUNT=1200
SKU-9931-BLK-XL is sold out
part no. A2C59513554
serial number is on the back
VIN WVWZZZ1JZXW000001 is my Golf
licence plate B-AN 1234
the license is Apache-2.0
recovery takes 3 weeks
backup finished at 03:12
seed = 42
random seed 1337 gives the best run
sow the seeds in March, 12 per row
the 12 words of the poem were easy
build 20261130.4 is green
release 2026.11.30-1
Windows 11 24H2 (26100.2314)
kernel 6.8.0-49-generic
CVE-2024-3094 hit xz
RFC 6749 describes OAuth 2.0
ISO 27001, GDPR article 17
C4 model, ADR-0012
the temperature of H2SO4
COVID19 test was negative
https://github.com/openclaw/openclaw/issues/85240#issuecomment-2290011223
https://www.youtube.com/watch?v=dQw4w9WgXcQ
https://docs.google.com/document/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcd/edit
https://example.org/p?id=8891&page=3&sort=asc
s3://bucket-2026/logs/2026/11/30/part-00017.parquet
arn:aws:s3:::acme-logs-eu1
kref://CognitiveMemory/personal/m-3f9a2c1b4d5e.fact
urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6
matrix room !abcDEF123:matrix.example.org
@bo:matrix.example.org and #general:example.org
channel id C02ABCDEF12, thread 1712345678.000200
chat -1001234567890 is the family group
user U0G9QF9C6 left
Das Passwort ist abgelaufen
mein Passwort habe ich vergessen
der Schlüssel liegt unter der Matte
Der Schlüssel zum Erfolg ist Geduld
la contraseña es demasiado corta
le mot de passe est incorrect
el token caducó ayer
密码太短了
token ring networks were slow
the token economy of 2021
I love the band Keytronic99
her handle is ana_1987
wifi name is FritzBox7590
model X1C7 laptop, 16GB/512GB
bus M41 to Hauptbahnhof
apartment 4B, floor 12
gate code is on the fridge
""".strip().splitlines()
)
"""Texts that must stay as they are; they also hold no personal data of the four kinds."""


def _text(source: random.Random, length: int, alphabet: str = _ALNUM) -> str:
    """Characters with a letter and a digit among them."""
    body = [source.choice(alphabet) for _ in range(length)]
    body[source.randrange(length // 2)] = source.choice([one for one in alphabet if one.isalpha()])
    body[length // 2 + source.randrange(length - length // 2)] = source.choice([c for c in alphabet if c.isdigit()])
    return "".join(body)


def _pem(source: random.Random, name: str) -> str:
    rows = "\n".join(_text(source, 64) for _ in range(5))
    return "".join(("-----BE", f"GIN {name}-----\n", rows, "\n-----E", f"ND {name}-----"))


def _password(source: random.Random) -> str:
    words = ("Sunset", "maple", "Garten", "tiger", "Lluvia", "pepper", "Winter", "kayak", "Hafen", "comet")
    marks = ("!", "#", "-", "_", "+", "%", ".", "")
    return f"{source.choice(words)}{source.choice(marks)}{source.randrange(10, 99999)}"


_SEED_WORDS = (
    "ladder orbit velvet candle marble tunnel garlic planet ribbon saddle timber walnut zebra copper meadow"
).split()
Maker = Callable[[random.Random], str]
_MAKERS: Mapping[str, Maker] = {
    "openai": lambda s: "s" + "k-pr" + "oj-" + _text(s, 90),
    "anthropic": lambda s: "s" + "k-a" + "nt-api03-" + _text(s, 93),
    "openrouter": lambda s: "s" + "k-o" + "r-v1-" + _text(s, 64, _HEX),
    "groq": lambda s: "gs" + "k_" + _text(s, 52),
    "huggingface": lambda s: "h" + "f_" + _text(s, 34),
    "awsid": lambda s: "AK" + "IA" + _text(s, 16, _UPPER_BASE32),
    "awssecret": lambda s: _text(s, 40, _ALNUM + "/+"),
    "github": lambda s: "gh" + "p_" + _text(s, 36),
    "githubpat": lambda s: "github" + "_pat_" + _text(s, 22) + "_" + _text(s, 59),
    "gitlab": lambda s: "gl" + "pat-" + _text(s, 20),
    "slackbot": lambda s: "xo" + "xb-" + "219384756012-2193847560123-" + _text(s, 24),
    "slackhook": lambda s: "T0" + _text(s, 9) + "/B0" + _text(s, 9) + "/" + _text(s, 24),
    "discordhook": lambda s: _text(s, 68),
    "discordbot": lambda s: "M" + _text(s, 23) + ".G" + _text(s, 5) + "." + _text(s, 38),
    "telegram": lambda s: f"{s.randrange(10**9, 10**10)}:A" + "A" + _text(s, 33),
    "stripe": lambda s: "s" + "k_li" + "ve_" + _text(s, 24),
    "stripehook": lambda s: "wh" + "sec_" + _text(s, 32),
    "googlekey": lambda s: "AI" + "za" + _text(s, 35),
    "googleoauth": lambda s: "GOC" + "SPX-" + _text(s, 28),
    "npm": lambda s: "np" + "m_" + _text(s, 36),
    "pypi": lambda s: "py" + "pi-AgEI" + _text(s, 120),
    "sendgrid": lambda s: "S" + "G." + _text(s, 22) + "." + _text(s, 43),
    "jwt": lambda s: "ey" + "J" + _text(s, 33) + ".ey" + "J" + _text(s, 70) + "." + _text(s, 43),
    "opaque": lambda s: _text(s, s.choice((20, 24, 32, 40))),
    "basic": lambda s: base64.b64encode(f"ana:{_password(s)}{s.randrange(1000)}".encode()).decode(),
    "pemrsa": lambda s: _pem(s, "RSA PRIVATE" + " KEY"),
    "pemopenssh": lambda s: _pem(s, "OPENSSH PRIVATE" + " KEY"),
    "pemec": lambda s: _pem(s, "EC PRIVATE" + " KEY"),
    "pempgp": lambda s: _pem(s, "PGP PRIVATE" + " KEY BLOCK"),
    "word": _password,
    "short": lambda s: s.choice(("abc1", "x9Q2", "7-tor", "kuh5")) + str(s.randrange(10)),
    "spaced": lambda s: f"{s.choice(_SEED_WORDS)} {s.choice(_SEED_WORDS)} {s.randrange(10, 99)}",
    "pin": lambda s: f"{s.randrange(1000, 9999)}",
    "hex32": lambda s: _text(s, 32, _HEX),
    "hex64": lambda s: _text(s, 64, _HEX),
    "base64": lambda s: _text(s, 86) + "==",
    "totp": lambda s: _text(s, 16, _UPPER_BASE32),
    "recovery": lambda s: f"{_text(s, 5, _HEX)}-{_text(s, 5, _HEX)}",
    "licence": lambda s: "-".join(_text(s, 5).upper() for _ in range(4)),
    "seed": lambda s: " ".join(s.sample(_SEED_WORDS, 12)),
    "cookie": lambda s: _text(s, 36),
    "sig": lambda s: _text(s, 43) + "%3D",
    "vault": lambda s: "hv" + "s." + _text(s, 90),
    "digitalocean": lambda s: "do" + "p_v1_" + _text(s, 64, _HEX),
    "shopify": lambda s: "shp" + "at_" + _text(s, 32, _HEX),
    "databricks": lambda s: "da" + "pi" + _text(s, 32, _HEX),
    "linear": lambda s: "lin" + "_api_" + _text(s, 40),
    "age": lambda s: "AGE-SEC" + "RET-KEY-1" + _text(s, 58).upper(),
    "supabase": lambda s: "sb" + "p_" + _text(s, 40, _HEX),
    "atlassian": lambda s: "ATA" + "TT3" + _text(s, 180),
    "tailscale": lambda s: "ts" + "key-auth-" + _text(s, 16) + "-" + _text(s, 32),
    "docker": lambda s: "dck" + "r_pat_" + _text(s, 27),
    "postman": lambda s: "PM" + "AK-" + _text(s, 24, _HEX) + "-" + _text(s, 34, _HEX),
    "figma": lambda s: "fi" + "gd_" + _text(s, 40),
    "grafana": lambda s: "gl" + "sa_" + _text(s, 32) + "_" + _text(s, 8, _HEX),
    "notion": lambda s: "nt" + "n_" + _text(s, 46),
}


def secrets() -> list[tuple[str, str, str]]:
    """Kind, text and the secret in it; the same at every call."""
    found: list[tuple[str, str, str]] = []
    for number, line in enumerate(_SECRETS.strip().splitlines()):
        kind, _, template = line.partition(" | ")
        value = _MAKERS[kind.partition(":")[0]](random.Random(7461 + number))
        found.append((kind, template.replace(r"\n", "\n").replace("{}", value), value))
    return found
