#!/bin/sh
# Serve Attention Lab from this machine, which runs Debian 12 or newer. As root, with the project in /opt/attention-lab:
#   sh /opt/attention-lab/.hosting/one_machine.sh lab.example.org
# The name must lead to this machine; the certificate for it comes from Let's Encrypt. Without a name, the app is served
# over plain HTTP, for a trial or for a machine that stands behind another one with HTTPS.
# Run it again whenever you like: after `git pull`, with another name, or after an error. It then only changes what must be.
set -eu

project=/opt/attention-lab
certificates=/etc/letsencrypt/live/attention-lab
own=/etc/attention-lab # the certificate of our own, until there is a true one
name=${1:-}
address=${name:+https://}${name:-http://$(hostname)}
files=$project/.hosting
ports=$(sed -n 's/^ *server 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$files/nginx/processes.conf")

say() { printf '\n--- %s\n' "$1"; }
stop_with() {
    printf '\n%s\n' "$1" >&2
    exit 1
}
systemd_runs() { [ -d /run/systemd/system ]; }

check() {
    [ "$(id -u)" -eq 0 ] || stop_with "This needs root: run it with sudo."
    [ -f "$project/app.py" ] || stop_with "The project must lie in $project: clone it there."
    case $name in
    *[!a-zA-Z0-9.-]* | .* | -*) stop_with "The name must be one such as lab.example.org; got $name." ;;
    esac
}

install_programs() {
    say "Programs of Debian"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq --yes nginx python3-venv ca-certificates openssl curl certbot
}

install_packages() {
    say "Python packages, in $project/.venv"
    cd "$project"
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt -r .hosting/requirements-rooms.txt -c .hosting/constraints.txt
}

start_processes() { # one after the other, so that somebody always answers
    say "Processes of the app"
    cp "$files/systemd/attention-lab@.service" /etc/systemd/system/
    for port in $ports; do
        systemctl enable --quiet "attention-lab@$port"
        systemd_runs || continue
        systemctl daemon-reload
        systemctl restart "attention-lab@$port"
        curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$port/_stcore/health" ||
            stop_with "The app does not answer on port $port. What it says: journalctl -u attention-lab@$port"
        echo "port $port answers"
    done
}

make_own_certificate() {
    [ ! -f $own/privkey.pem ] || [ "$(cat $own/name)" != "$name" ] || return 0
    mkdir -p $own
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=$name" -addext "subjectAltName=DNS:$name" \
        -keyout $own/privkey.pem -out $own/fullchain.pem 2>/dev/null
    chmod 600 $own/privkey.pem
    echo "$name" >$own/name
}

with_ipv6() { # PORT: nginx listens there too, if this machine has IPv6
    if [ -s /proc/net/if_inet6 ]; then echo "listen $1; listen [::]:$1;"; else echo "listen $1;"; fi
}

write_site() { # FOLDER of the certificate, or nothing for plain HTTP
    cp "$files/nginx/processes.conf" /etc/nginx/conf.d/
    if [ -n "$name" ]; then
        sed "s|NAME|$name|; s|listen 80;|$(with_ipv6 80)|" "$files/nginx/redirect.conf" >/etc/nginx/conf.d/redirect.conf
        tls="server_name $name; ssl_certificate $1/fullchain.pem; ssl_certificate_key $1/privkey.pem;"
        tls="$tls ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache shared:attention_lab_tls:1m;"
        sed "s|listen 80;|$(with_ipv6 '443 ssl') $tls|" "$files/nginx/site.conf" >/etc/nginx/conf.d/site.conf
    else
        rm -f /etc/nginx/conf.d/redirect.conf
        sed "s|listen 80;|$(with_ipv6 80)|" "$files/nginx/site.conf" >/etc/nginx/conf.d/site.conf
    fi
}

start_nginx() { # and wait until it answers with what was written
    nginx -t -q
    systemd_runs || return 0
    systemctl reload-or-restart nginx
    curl --silent --fail --insecure --output /dev/null --retry 30 --retry-delay 1 --retry-all-errors \
        --connect-to ::127.0.0.1: "$address/_stcore/health" || stop_with "nginx does not answer: journalctl -u nginx"
}

configure_nginx() {
    say "nginx"
    rm -f /etc/nginx/sites-enabled/default
    # A visitor holds two connections: one to the browser, one to the app.
    sed -i 's/worker_connections .*/worker_connections 4096;/; /^worker_rlimit_nofile/d; 1i worker_rlimit_nofile 8192;' \
        /etc/nginx/nginx.conf
    mkdir -p /var/www/attention-lab
    [ -z "$name" ] || make_own_certificate
    if [ -f $certificates/fullchain.pem ]; then write_site $certificates; else write_site $own; fi
    start_nginx
}

get_certificate() {
    say "Certificate for $name"
    certbot certonly --webroot --webroot-path /var/www/attention-lab --cert-name attention-lab --domain "$name" \
        --non-interactive --agree-tos --register-unsafely-without-email --keep-until-expiring --renew-with-new-domains \
        --deploy-hook "systemctl reload nginx" || stop_with "\
There is no certificate yet. The app is at https://$name, but browsers warn of it.
See that $name leads to this machine, that its ports 80 and 443 can be reached from outside, and run this again."
    write_site $certificates
    start_nginx
}

check
install_programs
install_packages
start_processes
configure_nginx
systemd_runs || stop_with "systemd does not run here, so nothing was started. All is in place for the next start of the machine."
if [ -n "$name" ]; then get_certificate; fi
say "Attention Lab is at $address"
